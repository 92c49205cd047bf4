// The bill held against independent sources: times that a separate witness takes of a run and its twin, and monitors of known
// cost. Machines, farms and monitors are random.
#include <oracle/session_result.hpp>
#include <twin/overhead.hpp>
#include <twin/overhead_bill.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <random>

#include <child_process.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using scenario::Scenario;
using scenario::Setting;
using session_test::ScenarioFolder;
using vocabulary::SimTime;

constexpr std::size_t most_tasks = 40;

// When the first task moved and when each result was at the manager, in the order of time.
struct Times {
    std::int64_t first_task = -1;
    std::size_t results = 0;
    std::array<std::int64_t, most_tasks + 1> result{};
};

class Watch final : public trek_kernel::Witness {
public:
    Times times;

    void on_moved(const trek_kernel::TaskMoved& what, SimTime when) override {
        const std::int64_t now = when.in_ps();
        if (times.first_task < 0) times.first_task = now;
        for (std::uint32_t i = 0; i < what.tasks && what.node.value() == 0 && what.result && !what.sent; ++i) took(now);
    }

private:
    void took(std::int64_t now) {
        if (times.results < most_tasks) times.result.at(++times.results) = now;
    }
};

Times times_of(Scenario scenario, bool twin) {
    scenario.monitor->probes_off = twin;
    const auto times = test_support::in_child([&] {
        Watch watch;
        session::SessionHooks hooks;
        hooks.witnesses = {&watch};
        oracle::SessionResult result;
        oracle::run_session(scenario, result, hooks);
        return watch.times;
    });
    if (!times) throw std::runtime_error("a run failed");
    return *times;
}

class Dice {
public:
    explicit Dice(std::uint32_t seed) : random_(seed) {}
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[random_() % all.size()];
    }
    bool often(unsigned percent) { return random_() % 100 < percent; }

private:
    std::mt19937 random_;
};

std::string machine_path(const std::string& name) {
    return std::string(MAGICWIRE_SOURCE_DIR "/topologies/machines/") + name + ".yaml";
}

// A mesh of three by three, with the wire of the interrupts.
const std::string mesh =
    "version: 1\nname: mesh\nnodes: {count: 9, ram: 4MiB}\nhost: n0.0\ninterrupts: {master: n0}\n"
    "links: [n0.1 - n1.0, n1.1 - n2.0, n3.1 - n4.0, n4.1 - n5.0, n6.1 - n7.0, n7.1 - n8.0, n0.3 - n3.2, n3.3 - n6.2, n1.3 - "
    "n4.2, "
    "n4.3 - n7.2, n2.3 - n5.2, n5.3 - n8.2]\n";

struct Place {
    std::string machine, farm;
    bool interrupts;
};

std::vector<Place> places(const ScenarioFolder& folder) {
    folder.write("mesh.yaml", mesh);
    return {{machine_path("chain_6"), "nodes: 6, tree: chain", false},
            {machine_path("pair"), "nodes: 2, tree: chain", false},
            {machine_path("ubc_btree_8"), "nodes: 8, tree: binary", false},
            {machine_path("btree_8_interrupts"), "nodes: 8, tree: binary", true},
            {machine_path("btree_16"), "nodes: 16, tree: binary", false},
            {"mesh.yaml", "tree: {n0: [1, 3], n1: [2, 4], n3: [6], n4: [5, 7], n5: [8]}", true}};
}

std::string scenario_text(const ScenarioFolder& folder, Dice& dice, const std::string& monitor, bool tmon) {
    auto all = places(folder);
    if (tmon) std::erase_if(all, [](const Place& place) { return !place.interrupts; });
    const Place& place = dice.one_of(all);
    const std::string tasks = dice.one_of<std::string>({"12", "25", "40"});
    return "version: 1\nname: random\nmachine: " + place.machine + "\nfarm: {" + place.farm + ", tasks: " + tasks + "}\n" +
           "application: {tasks: plain.dat, grain: " + dice.one_of<std::string>({"100us", "700us", "3ms", "20ms"}) + "}\n" +
           "monitor: {" + monitor + "}\n";
}

std::string random_monitor(Dice& dice, bool tmon) {
    static const std::vector<std::string> classes = {"task", "message", "process", "user"};
    std::string events;
    while (events.empty()) {
        for (const std::string& name : classes)
            if (dice.often(40)) events += (events.empty() ? "" : ", ") + name;
    }
    if (tmon && dice.often(50)) events += ", usage";
    const std::string unload = dice.one_of<std::string>(
        {"[[1000s, 0, 0]]", "[[1000s, 8, 32]]", "[[20ms, 100, 100], [1000s, 4, 16]]", "[[1000s, 256, 256]]"});
    return std::string(tmon ? "kind: tmon, interrupt: " + dice.one_of<std::string>({"1ms", "10ms"}) + ", " : "") + "events: [" +
           events + "], unload: " + unload;
}

const std::vector<Setting> no_costs = {
    {"monitor.probe", "0"},  {"monitor.standard_probe", "0"}, {"monitor.meter", "0"},       {"monitor.count", "0"},
    {"monitor.policy", "0"}, {"monitor.manager_check", "0"},  {"monitor.pack_record", "0"}, {"kernel.message_tag", "0"}};

}  // namespace

// Whatever is recorded, and by whichever monitor: from the first task to the last result that both runs have.
TEST(OverheadRuns, SaysTheSlowDownFromTheFirstTaskToTheLastResultOfBothRuns) {
    const ScenarioFolder folder;
    for (std::uint32_t seed = 1; seed <= 24; ++seed) {
        Dice dice(seed);
        const bool tmon = dice.often(35);
        const std::string text = scenario_text(folder, dice, random_monitor(dice, tmon), tmon);
        SCOPED_TRACE(text);
        const Scenario scenario = folder.read(text, {}, seed);
        const Times run = times_of(scenario, false), twin = times_of(scenario, true);
        const std::size_t compared = std::min(run.results, twin.results);
        ASSERT_GT(compared, 0U);
        const auto overhead = twin::measure_overhead(scenario);
        EXPECT_EQ(overhead.compared, compared);
        EXPECT_EQ(overhead.monitored.span.in_ps(), run.result.at(compared) - run.first_task);
        EXPECT_EQ(overhead.twin.span.in_ps(), twin.result.at(compared) - twin.first_task);
        const double slow_down = static_cast<double>(run.result.at(compared) - run.first_task) /
                                 static_cast<double>(twin.result.at(compared) - twin.first_task);
        EXPECT_DOUBLE_EQ(overhead.slow_down().value(), slow_down);
    }
}

// All that the monitor does costs nothing, its looks every 2 ms too. The buffers hold all, so nobody can see that it is there.
TEST(OverheadRuns, OfTmonDeThatCostsNothingAndUnloadsNothingAreTheTwins) {
    const ScenarioFolder folder;
    auto settings = no_costs;
    settings.emplace_back("monitor.buffer", "8192");
    for (std::uint32_t seed = 1; seed <= 24; ++seed) {
        Dice dice(seed);
        const std::string classes =
            dice.one_of<std::string>({"task", "task, message", "task, process", "task, message, process, user"});
        const std::string text =
            scenario_text(folder, dice, "events: [" + classes + "], unload: [[1000s, 16384, 16384]]", false);
        SCOPED_TRACE(text);
        const auto overhead = twin::measure_overhead(folder.read(text, settings, seed));
        EXPECT_GT(overhead.compared, 0U);
        EXPECT_EQ(overhead.monitored.run_hash, overhead.twin.run_hash);
        EXPECT_EQ(overhead.difference(), SimTime());
    }
}

// Only the length of the monitor's records costs anything. So it takes nothing but the links and the memory cycles of its
// messages. The program then has what the twin has, memory cycles too.
TEST(OverheadRuns, OfAMonitorThatOnlyTakesLinksLeaveTheProgramWhatTheTwinHas) {
    const ScenarioFolder folder;
    auto settings = no_costs;
    settings.emplace_back("monitor.record", "1000");
    const std::string text = "version: 1\nname: pair\nmachine: " + machine_path("pair") +
                             "\nfarm: {nodes: 2, tree: chain, tasks: 40}\napplication: {tasks: plain.dat, task_bytes: 1000, "
                             "result_bytes: 1000}\nmonitor: {unload: [[1000s, 0, 0]]}\n";
    for (const char* grain : {"3ms", "10ms", "30ms"}) {
        SCOPED_TRACE(grain);
        settings.resize(no_costs.size() + 1);
        settings.emplace_back("application.grain", grain);
        const auto overhead = twin::measure_overhead(folder.read(text, settings));
        const auto table = twin::bill(overhead, twin::BillBy::Cause);
        const auto line = [&](const std::string& name) {
            return *std::find_if(table.lines.begin(), table.lines.end(), [&](const auto& one) { return one.name == name; });
        };
        const auto programs = line("memory cycles for links");
        EXPECT_GT(programs.twin, SimTime::ms(2));
        EXPECT_NEAR(programs.monitored.in_us(), programs.twin.in_us(), 0.02 * programs.twin.in_us());
        EXPECT_GT(line("memory cycles for its links").monitored, SimTime::ms(2));
        EXPECT_LT(std::abs(twin::not_attributed(overhead).in_us()), 0.05 * overhead.difference().in_us());
    }
}
