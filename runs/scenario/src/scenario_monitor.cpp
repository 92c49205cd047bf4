// The section `monitor` of a scenario file, and its rows of the table of settings.
#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include <vocabulary/is_file.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {
namespace {

using instrumentation::MonitorKind;
using instrumentation::MonitorSettings;
using instrumentation::UnloadCommand;
using instrumentation::UnloadSequence;
using instrumentation::WhenFull;
using topologies::YamlValue;
using trace_record::ClassSet;
using trace_record::EventClass;
using vocabulary::InputError;
using vocabulary::SimTime;
using vocabulary::SourcePosition;

constexpr SimTime least_period = SimTime::us(100);  // shorter, and a node would hardly do anything else

const std::vector<std::string> kinds = {"tmon-de", "tmon"};
const std::vector<std::string> when_full_words = {"drop-newest", "overwrite-oldest", "stop", "degrade"};
const std::vector<std::string> class_words = {"task", "message", "process", "usage", "user"};  // clock is Tmon's own

template <class Enum>
Enum of_index(const std::vector<std::string>& words, const std::string& word) {
    return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

std::string one_of(const std::string& word, const std::vector<std::string>& words, const SourcePosition& where) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return word;
    std::string message = "expected one of";
    for (const std::string& known : words) message += (known == words.front() ? " " : ", ") + known;
    throw InputError(where, message + " and got '" + word + "'" + vocabulary::did_you_mean(word, words));
}

std::vector<std::string> split(const std::string& text, char between) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(between, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::uint32_t number_of(const std::string& text, std::uint32_t most, const SourcePosition& where) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > most)
        throw InputError(where, "expected a whole number from 0 to " + std::to_string(most) + " and got '" + text + "'");
    return value;
}

// TIME/LOWER/UPPER, several with commas between
UnloadSequence sequence_of(const std::string& text, const SourcePosition& where) {
    std::vector<UnloadCommand> commands;
    for (const std::string& row : split(text, ',')) {
        const auto parts = split(row, '/');
        if (parts.size() != 3)
            throw InputError(
                where, "expected 'adaptive', a file, or TIME/LOWER/UPPER, several with commas between, and got '" + row + "'");
        commands.push_back({static_cast<std::uint64_t>(topologies::parse_time(parts[0], where).in_us()),
                            number_of(parts[1], UINT32_MAX, where), number_of(parts[2], UINT32_MAX, where), where});
    }
    return UnloadSequence(std::move(commands));
}

// A file's name may have the same letters, but no three parts each of which is a number.
bool is_sequence(const std::string& text) {
    const auto rows = split(text, ',');
    return std::all_of(rows.begin(), rows.end(), [](const std::string& row) {
        const auto parts = split(row, '/');
        return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
                   return !part.empty() && part.front() >= '0' && part.front() <= '9';
               });
    });
}

UnloadCommand command_of(const YamlValue& row) {
    const auto parts = row.items();
    if (parts.size() != 3)
        row.fail("an unload command has three parts, [TIME, LOWER, UPPER], and this one has " + std::to_string(parts.size()));
    return {static_cast<std::uint64_t>(parts[0].time().in_us()), static_cast<std::uint32_t>(parts[1].integer(0, UINT32_MAX)),
            static_cast<std::uint32_t>(parts[2].integer(0, UINT32_MAX)), row.where()};
}

UnloadSequence read_commands(const YamlValue& value) {
    std::vector<UnloadCommand> commands;
    for (const YamlValue& row : value.items()) commands.push_back(command_of(row));
    if (commands.empty()) value.fail("the unload sequence has no command; give at least one [TIME, LOWER, UPPER]");
    return UnloadSequence(std::move(commands));
}

UnloadSequence read_sequence_file(Scenario& scenario, const std::string& path) {
    UnloadSequence sequence = UnloadSequence::read(path);
    scenario.inputs.push_back({"unload", path, content_hash(path)});
    return sequence;
}

// task+message; nothing: none
std::vector<std::string> class_words_of(const std::string& text) {
    return text.empty() ? std::vector<std::string>() : split(text, '+');
}

ClassSet classes_of(const std::vector<std::string>& words, const std::function<SourcePosition(std::size_t)>& where) {
    ClassSet set;
    for (std::size_t i = 0; i < words.size(); ++i)
        set.add(of_index<EventClass>(class_words, one_of(words[i], class_words, where(i))));
    return set;
}

MonitorSettings& monitor_of(Scenario& scenario, const Given& given) {
    if (scenario.monitor) return *scenario.monitor;
    given.fail("the scenario is not monitored; set monitor.unload before it, for example --set monitor.unload=1000s/8/32");
}

void put_monitor(Scenario& scenario, const Given& given) {
    if (given.in_file() && !given.value().is_scalar()) return;  // the section, which is read by itself
    if (given.text() != "off")
        given.fail("expected 'off', or the monitor's keys: at least 'kind' or 'unload'",
                   "only 'off' can be set here; see monitor.unload, monitor.kind and monitor.events");
    scenario.monitor.reset();
}

// Tmon has a wire of its own.
void check_kind(const Scenario& scenario, MonitorKind kind, const SourcePosition& where) {
    if (kind != MonitorKind::Tmon || scenario.machine.interrupt_master) return;
    throw InputError(where,
                     "the machine has no wires for the global interrupt of Tmon; add 'interrupts: {master: n0}' to the "
                     "machine file, or take 'kind: tmon-de', which needs none");
}

// Tmon needs no unload sequence, so it also switches the monitor on.
void put_kind(Scenario& scenario, const Given& given) {
    const auto kind = static_cast<MonitorKind>(given.word());
    if (!given.in_file()) check_kind(scenario, kind, given.where());  // in a file after the other keys
    if (kind == MonitorKind::Tmon && !scenario.monitor) scenario.monitor.emplace();
    monitor_of(scenario, given).kind = kind;
}

void put_unload(Scenario& scenario, const Given& given) {
    if (!scenario.monitor) scenario.monitor.emplace();
    std::optional<UnloadSequence>& unload = scenario.monitor->unload;
    if (given.in_file() && !given.value().is_scalar()) {
        unload = read_commands(given.value());
        return;
    }
    const std::string text = given.text();
    unload.reset();
    if (text == "adaptive") return;
    const bool file = given.in_file() ? !is_sequence(text) : vocabulary::is_file(text);
    unload = file ? read_sequence_file(scenario, given.in_file() ? given.file() : text) : sequence_of(text, given.where());
}

// In a file a list of words too.
void put_events(Scenario& scenario, const Given& given) {
    MonitorSettings& monitor = monitor_of(scenario, given);
    const bool list = given.in_file() && !given.value().is_scalar();
    const auto items = list ? given.value().items() : std::vector<YamlValue>();
    std::vector<std::string> words;
    for (const YamlValue& item : items) words.push_back(item.text());
    if (!list) words = class_words_of(given.text());
    monitor.classes = classes_of(words, [&](std::size_t i) { return list ? items[i].where() : given.where(); });
}

// For flushes and heartbeats.
SimTime period_of(const Given& given) {
    const SimTime period = given.time();
    if (period > SimTime() && period < least_period)
        given.fail("the buffer manager looks at most every 100 us; give a longer time, or 0us for never");
    return period;
}

void put_interrupt(Scenario& scenario, const Given& given) {
    const SimTime period = given.time();
    if (period < least_period) given.fail("the global interrupt comes at most every 100 us; give a longer time");
    monitor_of(scenario, given).interrupt_period = period;
}

// The values of the section that no monitor of that kind can use.
void check_section(const MonitorSettings& monitor, const YamlValue& section) {
    const bool tmon = monitor.kind == MonitorKind::Tmon;
    for (const char* key : {"adaptive", "processor_percent", "link_percent"}) {
        if (const auto adaptive = section.find(key); adaptive && monitor.unload)
            adaptive->fail("'unload' gives a sequence, and then nothing is adaptive; leave one of the two out");
    }
    const auto events = section.find("events");
    if (events && !tmon && monitor.classes.has(EventClass::Usage)) {
        const auto items = events->is_scalar() ? std::vector<YamlValue>() : events->items();
        const auto usage =
            std::find_if(items.begin(), items.end(), [](const YamlValue& item) { return item.text() == "usage"; });
        (usage == items.end() ? *events : *usage)
            .fail("only 'kind: tmon' samples the load of a node, at its global interrupt; leave 'usage' out");
    }
    if (const auto interrupt = section.find("interrupt"); interrupt && !tmon)
        interrupt->fail("only 'kind: tmon' has a global interrupt; Tmon-de works without that wire");
}

}  // namespace

void read_monitor(Scenario& scenario, const Sources& sources) {
    const YamlValue section = *sources.section("monitor");
    section.only_keys(keys_of("monitor"));
    if (const auto adaptive = section.find("adaptive")) adaptive->only_keys(keys_of("monitor.adaptive"));
    scenario.monitor.emplace();
    sources.put_section(scenario, "monitor");
    if (scenario.monitor->kind != MonitorKind::Tmon) section.at("unload");  // says that it is missing
    check_section(*scenario.monitor, section);
    if (const auto kind = section.find("kind")) check_kind(scenario, scenario.monitor->kind, kind->where());
}

void check_monitor_settings(const Scenario& scenario, const std::vector<Setting>& settings) {
    if (!scenario.monitor) return;
    for (const auto& [name, value] : settings) {
        const SourcePosition where{"--set " + name + "=" + value, 0, 0};
        if (name == "monitor.interrupt" && scenario.monitor->kind != MonitorKind::Tmon)
            throw InputError(where,
                             "the monitor is Tmon-de, which has no global interrupt; leave it out, or set monitor.kind=tmon");
        if (name == "monitor.events" && scenario.monitor->kind != MonitorKind::Tmon &&
            scenario.monitor->classes.has(EventClass::Usage))
            throw InputError(
                where,
                "the monitor is Tmon-de, which has no global interrupt to sample nodes at; leave 'usage' out, or set "
                "monitor.kind=tmon");
        const bool percent =
            name == "monitor.processor_percent" || name == "monitor.link_percent" || name.starts_with("monitor.adaptive.");
        if (percent && scenario.monitor->unload)
            throw InputError(where,
                             "buffers are unloaded by a sequence, and then nothing is adaptive; leave it out, or set "
                             "monitor.unload=adaptive");
    }
}

std::vector<SettingRow> monitor_rows() {
    const std::string stays =
        "the monitor is loaded on the nodes and cannot be removed (monitor.events chooses the recorded classes)";
    const WholeNumber percent{0, 100};
    const TimeSpan or_never{SimTime(), SimTime::never(), "but not between 0us and 100us"};
    return {
        {"monitor", "", Form{"off"}, "off", "", stays, "no monitor; a section with keys switches it on", put_monitor},
        {"monitor.kind", "", OneOf{kinds}, "tmon-de", "", "the monitor's programs have been loaded",
         "the version for debugging, or the original, which needs a machine with 'interrupts' (docs/model/tmon.md)", put_kind},
        {"monitor.unload", "", Form{"adaptive, a file, or TIME/LOWER/UPPER, several with commas between"}, "", "", "",
         "unload sequence; tmon-de needs one, and tmon is adaptive without one", put_unload},
        {"monitor.events", "", Form{"classes with + between: task, message, process, usage, user"}, "task", "", "",
         "event classes recorded from the beginning, usage by tmon alone; without task, task events count as lost", put_events},
        {"monitor.flush", "", or_never, "0us", "", "",
         "a node unloads when a record has been in its buffers for so long; 0us: never",
         [](Scenario& s, const Given& given) { monitor_of(s, given).flush = period_of(given); }},
        {"monitor.heartbeat", "", or_never, "0us", "", "",
         "a node with empty buffers says so after so long without a message to the host; 0us: never",
         [](Scenario& s, const Given& given) { monitor_of(s, given).heartbeat = period_of(given); }},
        {"monitor.when_full", "", OneOf{when_full_words}, "drop-newest", "", "",
         "treatment of a record when both buffers are full (docs/model/loss_policies.md)",
         [](Scenario& s, const Given& given) { monitor_of(s, given).when_full = static_cast<WhenFull>(given.word()); }},
        {"monitor.interrupt", "", TimeSpan{least_period, SimTime::never()}, "10ms", "",
         "the nodes count the global interrupts by the period that they were started with",
         "time between two global interrupts of tmon, by the master's clock", put_interrupt},
        {"monitor.processor_percent", "monitor.adaptive.processor", percent, "50", "percent", "",
         "highest load of the processor at which adaptive unloading happens",
         [](Scenario& s, const Given& given) {
             monitor_of(s, given).adaptive.processor_percent = static_cast<std::uint32_t>(given.whole());
         }},
        {"monitor.link_percent", "monitor.adaptive.links", percent, "50", "percent", "",
         "highest load of the busiest outgoing link at which adaptive unloading happens",
         [](Scenario& s, const Given& given) {
             monitor_of(s, given).adaptive.link_percent = static_cast<std::uint32_t>(given.whole());
         }},
    };
}

}  // namespace scenario
