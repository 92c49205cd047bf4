// The section `monitor` of a scenario file, and the settings monitor.* of the command line.
#include <algorithm>
#include <charconv>
#include <functional>

#include <vocabulary/is_file.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include <scenario/scenario_parts.hpp>

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

constexpr SimTime least_interrupt_period = SimTime::us(100);  // shorter, and a node would hardly do anything else

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

void set_unload(Scenario& scenario, const std::string& text, const SourcePosition& where) {
    MonitorSettings& settings = *scenario.monitor;
    settings.unload.reset();
    if (text == "adaptive") return;
    if (vocabulary::is_file(text)) {
        settings.unload = UnloadSequence::read(text);
        scenario.inputs.push_back({"unload", text, content_hash(text)});
        return;
    }
    settings.unload = sequence_of(text, where);
}

UnloadCommand command_of(const YamlValue& row) {
    const auto parts = row.items();
    if (parts.size() != 3)
        row.fail("an unload command has three parts, [TIME, LOWER, UPPER], and this one has " + std::to_string(parts.size()));
    return {static_cast<std::uint64_t>(parts[0].time().in_us()), static_cast<std::uint32_t>(parts[1].integer(0, UINT32_MAX)),
            static_cast<std::uint32_t>(parts[2].integer(0, UINT32_MAX)), row.where()};
}

void read_unload(MonitorSettings& settings, const YamlValue& value, const FileReader& file) {
    if (value.is_scalar() && value.text() == "adaptive") return;
    if (value.is_scalar()) {
        const bool here = is_sequence(value.text());
        settings.unload = here ? sequence_of(value.text(), value.where()) : UnloadSequence::read(file("unload", value));
        return;
    }
    std::vector<UnloadCommand> commands;
    for (const YamlValue& row : value.items()) commands.push_back(command_of(row));
    if (commands.empty()) value.fail("the unload sequence has no command; give at least one [TIME, LOWER, UPPER]");
    settings.unload = UnloadSequence(std::move(commands));
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

SimTime interrupt_period(SimTime period, const SourcePosition& where) {
    if (period < least_interrupt_period)
        throw InputError(where, "the global interrupt comes at most every 100 us; give a longer time");
    return period;
}

// Tmon has a wire of its own.
void check_kind(const Scenario& scenario, MonitorKind kind, const SourcePosition& where) {
    if (kind != MonitorKind::Tmon || scenario.machine.interrupt_master) return;
    throw InputError(where,
                     "the machine has no wires for the global interrupt of Tmon; add 'interrupts: {master: n0}' to the "
                     "machine file, or take 'kind: tmon-de', which needs none");
}

}  // namespace

void read_monitor(Scenario& scenario, const YamlValue& value, const FileReader& file) {
    if (value.is_scalar() && !value.is_null()) {
        if (value.text() != "off") value.fail("expected 'off', or the monitor's keys: at least 'kind' or 'unload'");
        return;
    }
    value.only_keys({"kind", "unload", "adaptive", "events", "when_full", "interrupt"});
    MonitorSettings settings;
    if (const auto kind = value.find("kind")) settings.kind = of_index<MonitorKind>(kinds, kind->one_of(kinds));
    const bool tmon = settings.kind == MonitorKind::Tmon;
    const auto unload = value.find("unload");
    if (unload || !tmon) read_unload(settings, value.at("unload"), file);
    if (const auto adaptive = value.find("adaptive")) {
        if (settings.unload)
            adaptive->fail("'unload' gives a sequence, and then nothing is adaptive; leave one of the two out");
        adaptive->only_keys({"processor", "links"});
        if (const auto most = adaptive->find("processor"))
            settings.adaptive.processor_percent = static_cast<std::uint32_t>(most->integer(0, 100));
        if (const auto most = adaptive->find("links"))
            settings.adaptive.link_percent = static_cast<std::uint32_t>(most->integer(0, 100));
    }
    if (const auto events = value.find("events")) {
        std::vector<std::string> words;
        const auto items = events->is_scalar() ? std::vector<YamlValue>() : events->items();
        for (const YamlValue& word : items) words.push_back(word.text());
        if (events->is_scalar()) words = class_words_of(events->text());
        const auto at = [&](std::size_t i) -> const YamlValue& { return items.empty() ? *events : items[i]; };
        settings.classes = classes_of(words, [&](std::size_t i) { return at(i).where(); });
        const auto usage = std::find(words.begin(), words.end(), "usage");
        if (!tmon && usage != words.end())
            at(static_cast<std::size_t>(usage - words.begin()))
                .fail("only 'kind: tmon' samples how busy a node is, at its global interrupt; leave 'usage' out");
    }
    if (const auto full = value.find("when_full"))
        settings.when_full = of_index<WhenFull>(when_full_words, full->one_of(when_full_words));
    if (const auto interrupt = value.find("interrupt")) {
        if (!tmon) interrupt->fail("only 'kind: tmon' has a global interrupt; Tmon-de works without that wire");
        settings.interrupt_period = interrupt_period(interrupt->time(), interrupt->where());
    }
    if (tmon) check_kind(scenario, settings.kind, value.at("kind").where());
    scenario.monitor = std::move(settings);
}

std::vector<std::pair<std::string, std::function<void()>>> monitor_settings(Scenario& scenario, const Setting& setting) {
    const SourcePosition where{"--set " + setting.first + "=" + setting.second, 0, 0};
    const std::string& text = setting.second;
    const auto monitor = [&scenario, where]() -> MonitorSettings& {
        if (scenario.monitor) return *scenario.monitor;
        throw InputError(
            where, "the scenario is not monitored; set monitor.unload before it, for example --set monitor.unload=1000s/8/32");
    };
    const auto processor = [monitor, text, where] { monitor().adaptive.processor_percent = number_of(text, 100, where); };
    const auto links = [monitor, text, where] { monitor().adaptive.link_percent = number_of(text, 100, where); };
    return {
        {"monitor",
         [&scenario, text, where] {
             if (text != "off")
                 throw InputError(where, "only 'off' can be set here; see monitor.unload, monitor.kind and monitor.events");
             scenario.monitor.reset();
         }},
        {"monitor.kind",
         [&scenario, monitor, text, where] {
             monitor().kind = of_index<MonitorKind>(kinds, one_of(text, kinds, where));
             check_kind(scenario, monitor().kind, where);
         }},
        {"monitor.unload",
         [&scenario, text, where] {
             if (!scenario.monitor) scenario.monitor.emplace();
             set_unload(scenario, text, where);
         }},
        {"monitor.events",
         [monitor, text, where] {
             monitor().classes = classes_of(class_words_of(text), [where](std::size_t) { return where; });
         }},
        {"monitor.when_full",
         [monitor, text, where] {
             monitor().when_full = of_index<WhenFull>(when_full_words, one_of(text, when_full_words, where));
         }},
        {"monitor.interrupt",
         [monitor, text, where] { monitor().interrupt_period = interrupt_period(topologies::parse_time(text, where), where); }},
        {"monitor.processor_percent", processor},
        {"monitor.adaptive.processor", processor},
        {"monitor.link_percent", links},
        {"monitor.adaptive.links", links}};
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

}  // namespace scenario
