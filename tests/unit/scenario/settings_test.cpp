// The whole table of settings: each one works in a scenario file, by --set and, where it can change then, in mid-run.
#include <gmock/gmock.h>

#include <map>

#include <scenario/settings.hpp>
#include <session/live_change.hpp>

#include "scenario_folder.hpp"

namespace {

using scenario::Setting;
using scenario::SettingRow;
using scenario::settings;
using session_test::ScenarioFolder;
using testing::HasSubstr;
using vocabulary::SimTime;

// A scenario file as its sections.
using Sections = std::map<std::string, std::map<std::string, std::string>>;

struct Sample {
    std::string value;       // allowed, and another than the one of base()
    std::string bad;         // outside the range
    std::string expected{};  // part of the message for it
    Sections base{};         // sections instead of those of base()
};

const std::string no_file = "there is no file";

// One for each row of the table; FOLDER/ is the folder of the test.
std::map<std::string, Sample> samples() {
    const Sections program = {{"application", {{"program", "image_group"}}}};
    const Sections halo = {{"halo", {{"steps", "5"}}}};
    const Sections mpi = {{"application", {{"mpi", "plain.dat"}, {"np", "4"}}}, {"monitor", {{"unload", "[[1s, 8, 32]]"}}}};
    const Sections sequence = {{"monitor", {{"unload", "1s/8/32"}}}};
    return {
        {"name", {"other", ""}},
        {"machine", {"FOLDER/m2.yaml", "FOLDER/no", no_file}},
        {"costs", {"FOLDER/costs.yaml", "FOLDER/no", no_file}},
        {"seed", {"7", "-1"}},
        {"links", {"byte", "xyzzyxyzzy"}},
        {"fault", {"die n5 at 12ms", "dye n5 at 12ms", "did you mean 'die'?"}},
        {"faults", {"FOLDER/p.faults", "FOLDER/no", ""}},
        {"reconfigure", {"[{at: 2s, connect: {x0: [0 - 1]}}]", "[{at: 2s}]", "give one of the two"}},
        {"phases", {"", "[]", "stands beside 'phases'"}},  // makes another kind of scenario: tests/cli/phases_test.py
        {"files", {"FOLDER/", "FOLDER/no", "there is no folder"}},
        {"end.quiet", {"5ms", "-1ms"}},
        {"end.patience", {"5ms", "-1ms"}},
        {"end.limit", {"5s", "-1ms"}},
        {"farm.spec", {"FOLDER/f.spf", "FOLDER/no", no_file, {{"farm", {}}}}},
        {"farm.tree", {"chain", "xyzzyxyzzy", "trees are chain, binary, ternary, best, or any other"}},
        {"farm.nodes", {"4", "9", "from 2 to 8"}},
        {"farm.tasks", {"41", "-1"}},
        {"farm.degree", {"16", "17"}},
        {"farm.depth", {"7", "8"}},
        {"farm.buffers", {"1000", "1001"}},
        {"farm.granularity", {"1000", "0"}},
        {"farm.policy", {"priorities", "xyzzyxyzzy"}},
        {"farm.managers", {"low", "xyzzyxyzzy"}},
        {"farm.survives", {"yes", "xyzzyxyzzy"}},
        {"application.tasks", {"FOLDER/other.dat", "FOLDER/no", no_file}},
        {"application.program", {"watched_primes", "", "", program}},
        {"application.farm", {"FOLDER/p.farm", "FOLDER/no", no_file, {{"application", {}}}}},
        {"application.task_bytes", {"4", "3"}},
        {"application.result_bytes", {"1048576", "1048577"}},
        {"application.costs", {"estimated", "FOLDER/no", no_file, program}},
        {"application.compute", {"FOLDER/steps.s", "FOLDER/no", no_file, program}},
        {"application.input", {"FOLDER/plain.dat", "FOLDER/no", no_file, program}},
        {"application.bugs", {"FOLDER/b.bugs", "FOLDER/no", ""}},
        {"application.bug",
         {"{kind: early-end, task: 3, process: compute}", "{kind: erly-end, task: 3, process: compute}",
          "did you mean 'early-end'?"}},
        {"application.grain", {"10ms", "1500ns", "from 1 us to 1000000 s"}},
        {"application.mpi", {"FOLDER/p.faults", "FOLDER/no", no_file, mpi}},
        {"application.np", {"6", "0", "", mpi}},
        {"application.args", {"[10, fast]", "", "", mpi}},
        {"application.map", {"slot", "xyzzyxyzzy", "", mpi}},
        {"halo.tree", {"binary", "xyzzyxyzzy", "trees are chain, binary, ternary, or any other", halo}},
        {"halo.nodes", {"4", "9", "from 2 to 8", halo}},
        {"halo.steps", {"6", "0", "", halo}},
        {"halo.cells", {"1000", "1001", "", halo}},
        {"halo.step_us", {"1", "0", "", halo}},
        {"halo.bugs",
         {"[{process: step_fn, node: n1, step: 4, kind: hang}]", "[{process: step_fn, node: n1, step: 4, kind: hng}]",
          "did you mean 'hang'?", halo}},
        {"monitor", {"off", "on", "'off'"}},
        {"monitor.kind", {"tmon", "xyzzyxyzzy", "", {{"monitor", {{"unload", "adaptive"}}}}}},
        {"monitor.unload", {"5ms/1/2,1s/0/64", "5ms/x/2", "", {{"monitor", {{"kind", "tmon"}}}}}},
        {"monitor.events", {"task+message", "tsk", "task, message, process, usage, user"}},
        {"monitor.when_full", {"degrade", "xyzzyxyzzy"}},
        {"monitor.flush", {"4ms", "99us", "at most every 100 us"}},
        {"monitor.heartbeat", {"100us", "1us", "0us for never"}},
        {"monitor.interrupt", {"1ms", "99us", "at most every 100 us"}},
        {"monitor.processor_percent", {"100", "101"}},
        {"monitor.link_percent", {"0", "-1"}},
    };
}

// The effects of all settings.
std::string text_of(const scenario::Scenario& s) {
    std::ostringstream out;
    out << s.name << ' ' << s.machine.name << ' ' << s.costs.get("kernel.rendezvous", "us") << ' ' << s.seed << ' '
        << static_cast<int>(s.links) << '\n';
    for (const trek_kernel::NodeId node : s.farm.members()) out << node.value() << '<' << s.farm.children(node).size() << ' ';
    out << static_cast<int>(s.farm.tree) << s.best_tree << ' ' << s.farm.tasks << ' ' << s.farm.degree << ' ' << s.farm.depth
        << ' ' << s.farm.buffers << ' ' << s.farm.granularity << ' ' << static_cast<int>(s.farm.policy) << s.farm.managers_high
        << s.farm.survives << '\n';
    out << (s.compute ? s.compute->code.size() : 0) << ' ' << s.program << ' ' << static_cast<int>(s.program_settings.costs)
        << s.program_settings.input << ' ' << s.farm_program.has_value() << ' ' << s.sizes.task_bytes << ' '
        << s.sizes.result_bytes << ' ' << s.tasks.of(0).segments[1].time_us << ' ' << s.bugs.size() << '\n';
    out << s.quiet.in_ps() << ' ' << s.patience.in_ps() << ' ' << s.limit.in_ps() << ' ' << s.reconfigurations.size() << ' '
        << s.files << '\n';
    if (s.halo) {
        out << s.halo->steps << ' ' << s.halo->cells << ' ' << s.halo->step.in_ps() << '\n';
        for (const halo_kernel::HaloBug& bug : s.halo->bugs) out << bug_text(bug) << '\n';
    }
    if (s.mpi) {
        out << s.mpi->program << ' ' << s.mpi->ranks << ' ' << s.mpi->map;
        for (const std::string& word : s.mpi->arguments) out << ' ' << word;
        out << '\n';
    }
    if (s.faults) {
        for (const topologies::Fault& fault : s.faults->faults) out << fault_text(fault) << ' ' << moment_text(fault) << '\n';
    }
    if (s.monitor) {
        out << static_cast<int>(s.monitor->kind) << ' ' << s.monitor->adaptive.processor_percent << ' '
            << s.monitor->adaptive.link_percent << ' ' << static_cast<int>(s.monitor->classes.bits()) << ' '
            << static_cast<int>(s.monitor->when_full) << ' ' << s.monitor->interrupt_period.in_ps() << ' '
            << s.monitor->flush.in_ps() << ' ' << s.monitor->heartbeat.in_ps() << '\n';
        if (s.monitor->unload) {
            for (const auto& command : s.monitor->unload->commands())
                out << command.until_us << '/' << command.lower << '/' << command.upper << ' ';
        }
    }
    return out.str();
}

class Settings : public testing::Test {
protected:
    Settings() {
        std::string machine = session_test::content(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_c004.yaml");
        machine += "interrupts: {master: n0}\n";
        folder.write("m.yaml", machine);
        folder.write("m2.yaml", session_test::replaced(machine, "btree_8_c004", "second"));
        std::string costs(topologies::t800_costs());
        folder.write("costs.yaml", session_test::replaced(costs, "{value: 60, unit: us", "{value: 61, unit: us"));
        folder.write("p.faults", "version: 1\nfaults: [{die: n5, at: 12ms}]\n");
        folder.write("b.bugs", "version: 1\nbugs: [{kind: early-end, task: 3, process: compute}]\n");
        folder.write("f.spf", "7 3 9 2 3\n");
        folder.write("other.dat", "0  20 10 0  999 1000 0  10 10 0  100 10 0  100 10 0\n");
        folder.write("steps.s", "steps: ldc 8\n ret\n");
        folder.write("p.c", "");
        folder.write("p.farm",
                     "begin Virtual_Machine type = PFVM; Configuration topology = BTREE; total_tasks = 100; total_processors = "
                     "7; Programs data_generator = p.c; comp_function = p.c; result_receive = p.c; end\n");
    }

    static Sections base(const Sample& sample) {
        Sections all = {{"", {{"version", "1"}, {"name", "plain"}, {"machine", "m.yaml"}}},
                        {"farm", {{"nodes", "8"}, {"tree", "binary"}, {"tasks", "40"}}},
                        {"application", {{"tasks", "plain.dat"}}},
                        {"monitor", {{"kind", "tmon"}, {"unload", "adaptive"}}}};
        for (const auto& [name, section] : sample.base) all[name] = section;
        if (sample.base.contains("application") && sample.base.at("application").contains("mpi")) all.erase("farm");
        if (sample.base.contains("halo")) {
            all.erase("farm");
            all.erase("application");
        }
        return all;
    }

    std::string here(std::string text) const {
        if (text.starts_with("FOLDER/")) text.replace(0, 7, folder.file(""));
        return text;
    }

    static std::string yaml(const Sections& sections) {
        std::string text;
        for (const auto& [key, value] : sections.at("")) text += key + ": " + value + "\n";
        for (const auto& [name, section] : sections) {
            if (name.empty() || sections.at("").contains(name)) continue;
            text += name + ":";
            for (const auto& [key, value] : section) text += "\n  " + key + ": " + value;
            text += section.empty() ? " {}\n" : "\n";
        }
        return text;
    }

    // The scenario file with the value; a third level stands in braces.
    std::string with(Sections sections, const std::string& name, const std::string& value) const {
        const std::size_t point = name.find('.');
        const std::string section = point == std::string::npos ? "" : name.substr(0, point);
        const std::string key = name.substr(point == std::string::npos ? 0 : point + 1);
        const std::size_t second = key.find('.');
        if (second == std::string::npos) {
            sections[section][key] = value;
        } else {
            sections[section][key.substr(0, second)] = "{" + key.substr(second + 1) + ": " + value + "}";
        }
        return yaml(sections);
    }

    std::string read(const std::string& text, const std::vector<Setting>& set = {}) const {
        return text_of(folder.read(text, set));
    }

    static std::vector<std::string> names(const SettingRow& row) {
        return row.other_name.empty() ? std::vector{row.name} : std::vector{row.name, row.other_name};
    }

    // Parts of the message for a value outside the range.
    static std::vector<std::string> range_of(const SettingRow& row, const Sample& sample) {
        if (!sample.expected.empty()) return {sample.expected};
        if (const auto* number = std::get_if<scenario::WholeNumber>(&row.range))
            return {"from " + std::to_string(number->least) + " to " + std::to_string(number->most)};
        if (const auto* words = std::get_if<scenario::OneOf>(&row.range)) return words->words;
        if (std::holds_alternative<scenario::TimeSpan>(row.range)) return {"times start at 0"};
        return {};
    }

    ScenarioFolder folder;
};

}  // namespace

TEST_F(Settings, HaveASampleEach) {
    std::vector<std::string> rows, sampled;
    for (const SettingRow& row : settings()) rows.push_back(row.name);
    for (const auto& [name, sample] : samples()) sampled.push_back(name);
    EXPECT_THAT(rows, testing::UnorderedElementsAreArray(sampled));
}

TEST_F(Settings, AreTheSameInAFileAndByASetting) {
    const auto all = samples();
    for (const SettingRow& row : settings()) {
        const Sample& sample = all.at(row.name);
        if (sample.value.empty()) continue;
        const Sections sections = base(sample);
        const bool needed = sections.contains("application") && sections.at("application").empty();
        const std::string value = here(sample.value);
        for (const std::string& name : names(row)) {
            const std::string in_file = read(with(sections, name, value));
            EXPECT_EQ(in_file, read(yaml(sections), {{name, value}})) << name;
            if (!needed && row.name != "farm.spec") {
                EXPECT_NE(in_file, read(yaml(sections))) << name << " changes nothing";
            }
        }
    }
}

TEST_F(Settings, HaveTheDefaultOfTheTable) {
    const auto all = samples();
    for (const SettingRow& row : settings()) {
        if (row.otherwise.empty()) continue;
        const Sections sections = base(all.at(row.name));
        Sections bare = sections;
        if (row.name == "monitor") bare.erase("monitor");
        if (row.name == "monitor.kind") bare["monitor"].erase("kind");
        const std::string without = read(yaml(bare));
        EXPECT_EQ(read(with(sections, row.name, row.otherwise)), without) << row.name;
        EXPECT_EQ(read(yaml(sections), {{row.name, row.otherwise}}), without) << row.name;
    }
}

TEST_F(Settings, OutOfRangeAreRefusedEverywhereWithTheRange) {
    const auto all = samples();
    for (const SettingRow& row : settings()) {
        const Sample& sample = all.at(row.name);
        if (sample.bad.empty()) continue;
        const Sections sections = base(sample);
        const std::string value = here(sample.bad);
        for (const std::string& name : names(row)) {
            const std::string in_file = folder.error(with(sections, name, value)),
                              set = folder.error(yaml(sections), {{name, value}});
            for (const std::string& message : {in_file, set}) {
                EXPECT_NE(message, "no InputError was thrown") << name;
                for (const std::string& part : range_of(row, sample)) EXPECT_THAT(message, HasSubstr(part)) << name;
            }
        }
    }
}

TEST_F(Settings, ChangeInMidRunOrSayWhyNot) {
    const auto all = samples();
    for (const SettingRow& row : settings()) {
        const Sample& sample = all.at(row.name);
        const bool partial = sample.base.contains("farm") || sample.base.contains("application");
        const std::string text = yaml(base(partial ? Sample() : sample)), value = here(sample.value);
        for (const std::string& name : names(row)) {
            scenario::Scenario scenario = folder.read(text);
            std::string refusal;
            try {
                scenario = session::changed(scenario, {name, value}, SimTime::ms(10));
            } catch (const vocabulary::InputError& error) {
                refusal = error.what();
            }
            if (row.why_fixed.empty()) {
                EXPECT_EQ(text_of(scenario), read(text, {{name, value}})) << refusal;
            } else {
                EXPECT_THAT(refusal, HasSubstr("cannot be changed in mid-run: " + row.why_fixed)) << name;
            }
        }
    }
}

TEST_F(Settings, GivenByBothNamesAreRefused) {
    const Sections sections = base({});
    EXPECT_THAT(folder.error(yaml(sections) + "  link_percent: 3\n  adaptive: {links: 4}\n"),
                HasSubstr("'monitor.adaptive.links' is given already, as 'monitor.link_percent'; leave one of the two out"));
}
