// Interrupts and timeslices on one processor.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "validate/group.hpp"
#include "validate/micro_machine.hpp"

namespace tmon_session {
namespace {

using hw_model::Fiber;
using hw_model::Priority;
using topologies::Provenance;
using vocabulary::Cycles;
using vocabulary::SimTime;

constexpr double cycles_per_us = 20;

topologies::MachineDescription one_pair() {
    return pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0});
}

// A high-priority process is made ready at many moments of a low-priority loop: cycles until its first instruction.
// The median, and the longest.
std::vector<double> measure_interrupts(const topologies::CostTable& costs) {
    constexpr int count = 400;
    MicroMachine box(one_pair(), costs);
    std::vector<double> latencies;
    box.start(0, Priority::Low, [&](Fiber& me) {
        while (true) me.use(Cycles(97), true);
    });
    box.start(0, Priority::High, [&](Fiber& me) {
        for (int i = 1; i <= count; ++i) {
            const SimTime ready = SimTime::us(100) * i + SimTime::ns(7) * i;  // at another phase of the loop each time
            box.sleep_until(me, 0, ready);                                    // which uses one cycle when it runs
            if (i > 1) latencies.push_back((box.now() - ready).in_seconds() * 1e6 * cycles_per_us - 1);
        }
    });
    box.run_until(SimTime::ms(50));
    if (latencies.empty()) return {};
    std::sort(latencies.begin(), latencies.end());
    return {latencies[latencies.size() / 2], latencies.back()};
}

// Three low-priority loops, and a fourth process that comes at any phase of the timeslice, so that runs begin there too: half
// of the longest run, shortest and longest run, and the longest wait for the processor, by what a loop of 10 us sees of the
// clock.
std::vector<double> measure_timeslices(const topologies::CostTable& costs) {
    MicroMachine box(one_pair(), costs);
    constexpr int loops = 3;
    constexpr SimTime step = SimTime::us(10), missed = SimTime::us(50);  // of the clock, by which it knows that others have run
    double shortest = std::numeric_limits<double>::infinity(), longest_run = 0, longest_wait = 0;
    const auto in_us = [](SimTime t) { return t.in_seconds() * 1e6; };
    for (int i = 0; i < loops; ++i) {
        box.start(0, Priority::Low, [&](Fiber& me) {
            SimTime began = box.now(), last = began;
            bool first = true;
            while (true) {
                me.use(Cycles(step.in_ns() / 50), true);
                if (const SimTime now = box.now(); now - last > missed) {  // another one has run meanwhile
                    if (!first) {
                        shortest = std::min(shortest, in_us(last - began));
                        longest_run = std::max(longest_run, in_us(last - began));
                        longest_wait = std::max(longest_wait, in_us(now - last));
                    }
                    first = false;
                    began = now - step;
                }
                last = box.now();
            }
        });
    }
    // Up to a millisecond at varying phases; nothing else in this machine breaks the rhythm of slices.
    box.start(0, Priority::Low, [&](Fiber& me) {
        for (int i = 1; i < 100; ++i) {
            box.sleep_until(me, 0, SimTime::us(4321) * i);
            me.use(Cycles(200 * (37 * i % 101)));
        }
    });
    box.run_until(SimTime::ms(500));
    return {longest_run / 2, shortest, longest_run, longest_wait};
}

}  // namespace

void add_processor_groups(std::vector<Group>& groups) {
    groups.push_back({.name = "interrupt",
                      .figures = {{.name = "interrupt.typical",
                                   .what = "interrupt latency, typical",
                                   .unit = "cycles",
                                   .least = 19,
                                   .most = 19,
                                   .tolerance_percent = 0,
                                   .reason = "a number of cycles",
                                   .provenance = Provenance::Seen,
                                   .source = "T800 data sheet: low priority running"},
                                  {.name = "interrupt.longest",
                                   .what = "interrupt latency, longest",
                                   .unit = "cycles",
                                   .least = 19,
                                   .most = 58,
                                   .tolerance_percent = 0,
                                   .reason = "a bound: typical to maximum, FPU idle, on-chip RAM",
                                   .provenance = Provenance::Seen,
                                   .source = "T800 data sheet: maximum 58"}},
                      .measure = measure_interrupts});
    const auto slice = [](const char* name, const char* what, double least, double most, const char* source) {
        return Figure{.name = name,
                      .what = what,
                      .unit = "us",
                      .least = least,
                      .most = most,
                      .tolerance_percent = 2,
                      .reason = "the loops look at the clock every 10 us",
                      .provenance = Provenance::Seen,
                      .source = source};
    };
    static constexpr const char* rule = "a low-priority process runs one to two periods";
    groups.push_back({.name = "timeslice",
                      .figures = {slice("timeslice.period", "timeslice, half of the longest run", 1024, 1024,
                                        "5120 periods of the 5 MHz ClockIn"),
                                  slice("timeslice.shortest", "shortest run of a low-priority loop", 1024, 2048, rule),
                                  slice("timeslice.longest", "longest run of a low-priority loop", 1024, 2048, rule),
                                  slice("timeslice.wait", "longest wait among 4 low-priority processes", 0, 6 * 1024,
                                        "at most 2n - 2 periods")},
                      .measure = measure_timeslices});
}

}  // namespace tmon_session
