// Interrupts and timeslices on one processor.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "group.hpp"
#include "micro_machine.hpp"

namespace validation {
namespace {

using hw_model::Fiber;
using hw_model::Priority;
using topologies::Provenance;
using vocabulary::Cycles;
using vocabulary::SimTime;

topologies::MachineDescription one_pair(std::int64_t clock_hz) {
    return pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0}, clock_hz);
}

// A high-priority process is made ready at many moments while a low-priority one runs: cycles until its first instruction, the
// median and the longest. The low one runs a loop of 97 cycles, or one long instruction after the other.
std::pair<double, double> latencies(const topologies::CostTable& costs, hw_model::LongInstruction instruction,
                                    std::int64_t clock_hz = t800_20_hz) {
    constexpr int count = 400;
    MicroMachine box(one_pair(clock_hz), costs);
    const auto cycle_ps = static_cast<double>(box.node(0).processor.cycle().in_ps());
    std::vector<double> found;
    box.start(0, Priority::Low, [&](Fiber& me) {
        while (true) me.use(Cycles(97), true, instruction);
    });
    box.start(0, Priority::High, [&](Fiber& me) {
        for (int i = 1; i <= count; ++i) {
            const SimTime ready = SimTime::us(100) * i + SimTime::ns(7) * i;  // at another phase of the loop each time
            box.sleep_until(me, 0, ready);                                    // which uses one cycle when it runs
            if (i > 1) found.push_back(static_cast<double>((box.now() - ready).in_ps()) / cycle_ps - 1);
        }
    });
    box.run_until(SimTime::ms(50));
    if (found.empty()) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    std::sort(found.begin(), found.end());
    return {found[found.size() / 2], found.back()};
}

// Three low-priority loops, and a fourth process that comes at any phase of the timeslice, so that runs begin there too. Gives
// half of the longest run, shortest and longest run, and the longest wait for the processor. A loop of 10 us reads them off the
// clock.
std::vector<double> measure_timeslices(const topologies::CostTable& costs, std::int64_t clock_hz) {
    MicroMachine box(one_pair(clock_hz), costs);
    constexpr int loops = 3;
    constexpr SimTime step = SimTime::us(10), missed = SimTime::us(50);  // of the clock, by which it knows that others have run
    double shortest = std::numeric_limits<double>::infinity(), longest_run = 0, longest_wait = 0;
    const auto in_us = [](SimTime t) { return t.in_seconds() * 1e6; };
    const std::int64_t cycle_ps = box.node(0).processor.cycle().in_ps(), step_cycles = step.in_ps() / cycle_ps;
    for (int i = 0; i < loops; ++i) {
        box.start(0, Priority::Low, [&](Fiber& me) {
            SimTime began = box.now(), last = began;
            bool first = true;
            while (true) {
                me.use(Cycles(step_cycles), true);
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
            me.use(Cycles(step_cycles * (37 * i % 101)));
        }
    });
    box.run_until(SimTime::ms(500));
    return {longest_run / 2, shortest, longest_run, longest_wait};
}

}  // namespace

double interrupt_latency_us(const topologies::CostTable& costs, std::int64_t clock_hz) {
    return latencies(costs, hw_model::LongInstruction::No, clock_hz).first * 1e6 / static_cast<double>(clock_hz);
}

double half_of_longest_run_us(const topologies::CostTable& costs, std::int64_t clock_hz) {
    return measure_timeslices(costs, clock_hz).front();
}

void add_processor_groups(std::vector<Group>& groups) {
    using hw_model::LongInstruction;
    const auto latency = [&](const char* group, const char* what, double published, Provenance provenance, const char* source,
                             LongInstruction instruction) {
        groups.push_back({.name = group,
                          .figures = {{.name = std::string(group) + ".latency",
                                       .what = what,
                                       .unit = "cycles",
                                       .least = published,
                                       .most = published,
                                       .tolerance_percent = 0,
                                       .reason = "a number of cycles",
                                       .provenance = provenance,
                                       .source = source,
                                       .proof = Proof::Charged}},
                          .measure = [instruction](const topologies::CostTable& costs) {
                              const auto [median, longest] = latencies(costs, instruction);
                              return std::vector{instruction == LongInstruction::No ? median : longest};
                          }});
    };
    latency("interrupt", "interrupt latency, typical", 19, Provenance::Seen, "T800 data sheet: low priority running",
            LongInstruction::No);
    latency("interrupt_most", "interrupt latency, longest", 58, Provenance::Seen, "T800 data sheet: maximum, FPU idle, on chip",
            LongInstruction::Integer);
    latency("interrupt_most_fpu", "interrupt latency, longest, FPU busy", 78, Provenance::Recalled,
            "T800 data sheet: maximum, FPU busy", LongInstruction::FloatingPoint);
    const auto slice = [](const char* name, const char* what, double least, double most, const char* source,
                          Proof proof = Proof::Rule) {
        return Figure{.name = name,
                      .what = what,
                      .unit = "us",
                      .least = least,
                      .most = most,
                      .tolerance_percent = 2,
                      .reason = "the loops look at the clock every 10 us",
                      .provenance = Provenance::Seen,
                      .source = source,
                      .proof = proof};
    };
    static constexpr const char* rule = "a low-priority process runs one to two periods";
    groups.push_back({.name = "timeslice",
                      .figures = {slice("timeslice.period", "timeslice, half of the longest run", 1024, 1024,
                                        "5120 periods of the 5 MHz ClockIn", Proof::Charged),
                                  slice("timeslice.shortest", "shortest run of a low-priority loop", 1024, 2048, rule),
                                  slice("timeslice.longest", "longest run of a low-priority loop", 1024, 2048, rule),
                                  slice("timeslice.wait", "longest wait among 4 low-priority processes", 0, 6 * 1024,
                                        "at most 2n - 2 periods")},
                      .measure = [](const topologies::CostTable& costs) { return measure_timeslices(costs, t800_20_hz); }});
}

}  // namespace validation
