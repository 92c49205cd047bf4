// Cost of a snapshot: fork() of a running machine, between two events in the middle of its farm's run. Measured until the child
// goes on, and until it has ended again. docs/guide/shell.md has the table.
//
//     fork_bench [--repeat N] [NAME ...]
#include <algorithm>

#include <fmt/format.h>

#include <oracle/session_result.hpp>
#include <session/live_session.hpp>
#include <topologies/generators.hpp>

#include "measure.hpp"

namespace {

using session::LiveSession;
using vocabulary::SimTime;

struct Case {
    const char* name;
    std::uint32_t
        nodes;  // 16: the session of the thesis; else a farm of that many with four tasks of 10 ms for each, monitored
};

struct Figures {
    double fork_ms = 0, child_ms = 0, whole_ms = 0, resident_mb = 0;
    std::uint64_t nodes = 0;
};

double ms(bench::Clock::time_point from, bench::Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

// The least of `repeat` runs: other load on the host only ever adds.
void fork_often(int repeat, Figures& figures) {
    figures.fork_ms = figures.child_ms = figures.whole_ms = 1e9;
    for (int i = 0; i < repeat; ++i) {
        int ends[2];
        if (pipe(ends) != 0) std::abort();
        const auto began = bench::Clock::now();
        const pid_t child = fork();
        if (child == 0) {
            const auto now = bench::Clock::now();
            _exit(write(ends[1], &now, sizeof now) == static_cast<ssize_t>(sizeof now) ? 0 : 1);
        }
        const auto forked = bench::Clock::now();
        auto in_child = began;
        if (read(ends[0], &in_child, sizeof in_child) != static_cast<ssize_t>(sizeof in_child)) std::abort();
        waitpid(child, nullptr, 0);
        const auto over = bench::Clock::now();
        close(ends[0]);
        close(ends[1]);
        figures.fork_ms = std::min(figures.fork_ms, ms(began, forked));
        figures.child_ms = std::min(figures.child_ms, ms(began, in_child));
        figures.whole_ms = std::min(figures.whole_ms, ms(began, over));
    }
}

scenario::Scenario scenario_of(const Case& which) {
    auto scenario = scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/dc16_late.yaml", {}, {});
    if (which.nodes == 16) return scenario;
    scenario.machine = topologies::binary_tree(which.nodes);
    scenario.farm = {.nodes = which.nodes, .tasks = 4 * which.nodes};
    trek_kernel::TaskDescription one{};
    one.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)] = {10'000, 0, 0};
    scenario.tasks = {};
    scenario.tasks.set(0, one);
    return scenario;
}

Figures measure(const Case& which, int repeat) {
    const scenario::Scenario scenario = scenario_of(which);
    Figures figures;
    oracle::SessionResult result;
    bool over = false;
    const auto look = [&](LiveSession& live) {
        if (over) return SimTime::never();
        if (std::string(live.phase()) != "run" || live.counts().results < scenario.farm.tasks / 2)
            return live.now() + SimTime::ms(1);
        figures.nodes = live.machine().node_count();
        figures.resident_mb = bench::resident_megabytes();
        fork_often(repeat, figures);
        over = true;
        return SimTime::never();
    };
    oracle::run_session(
        scenario, result,
        {.progress = [&](const session::Progress&) { return !over; }, .first_moment = SimTime(), .at_moment = look});
    return figures;
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Options options(argc, argv);
    fmt::print("{:<10} {:>6} {:>12} {:>10} {:>14} {:>12}\n", "machine", "nodes", "resident MB", "fork ms", "child on ms",
               "gone ms");
    for (const Case& one : {Case{"dc16", 16}, Case{"farm75", 75}, Case{"farm1024", 1024}}) {
        if (!options.wanted.empty() &&
            std::find(options.wanted.begin(), options.wanted.end(), one.name) == options.wanted.end())
            continue;
        const Figures f = bench::in_child(one.name, [&] { return measure(one, options.repeat * 10); });
        fmt::print("{:<10} {:>6} {:>12.0f} {:>10.2f} {:>14.2f} {:>12.2f}\n", one.name, f.nodes, f.resident_mb, f.fork_ms,
                   f.child_ms, f.whole_ms);
    }
}
