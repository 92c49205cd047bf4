// Ticks of a node's two clocks, as processes see them.
#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "group.hpp"
#include "micro_machine.hpp"

namespace validation {
namespace {

using hw_model::Fiber;
using hw_model::Priority;
using topologies::Provenance;
using vocabulary::Cycles;
using vocabulary::SimTime;

constexpr SimTime end = SimTime::s(1);

// Mean time between two values of its clock, seen by a process that looks all the time.
double seen_tick_us(const topologies::CostTable& costs, Priority priority) {
    MicroMachine box(lone_nodes(1), costs);
    hw_model::Processor& processor = box.node(0).processor;
    SimTime first, last;
    int changes = 0;
    box.start(0, priority, [&](Fiber& me) {
        std::uint64_t value = processor.clock_us(priority);
        while (changes < 1000) {
            me.use(Cycles(2));  // ldtimer
            if (processor.clock_us(priority) == value) continue;
            value = processor.clock_us(priority);
            (changes++ == 0 ? first : last) = box.now();
        }
    });
    box.run_until(end);
    return (last - first).in_seconds() * 1e6 / (changes - 1);
}

Figure tick(const char* group, const char* what, double published, const char* source) {
    return {.name = fmt::format("{}.tick", group),
            .what = what,
            .unit = "us",
            .least = published,
            .most = published,
            .tolerance_percent = 0.1,
            .reason = "the clock drifts by up to 30 ppm, and the process looks every 0.1 us",
            .provenance = Provenance::Seen,
            .source = source,
            .proof = Proof::Charged};
}

}  // namespace

// Mean time between the wake-ups of a process of low priority that waits for the next value of its clock each time.
double low_tick_us(const topologies::CostTable& costs, std::int64_t clock_hz) {
    constexpr int count = 1000;
    MicroMachine box(lone_nodes(1, clock_hz), costs);
    hw_model::Processor& processor = box.node(0).processor;
    SimTime first, last;
    box.start(0, Priority::Low, [&](Fiber& me) {
        for (int i = 0; i <= count; ++i) {
            processor.wake_at_clock_us(processor.clock_us(Priority::Low), me);
            me.wait();
            (i == 0 ? first : last) = box.now();
        }
    });
    box.run_until(end);
    return (last - first).in_seconds() * 1e6 / count;
}

void add_timer_groups(std::vector<Group>& groups) {
    groups.push_back(
        {.name = "timer_high",
         .figures = {tick("timer_high", "tick of the clock of high priority", 1, "Clock0: ClockIn / 5")},
         .measure = [](const topologies::CostTable& costs) { return std::vector{seen_tick_us(costs, Priority::High)}; }});
    groups.push_back(
        {.name = "timer_low",
         .figures = {tick("timer_low", "tick of the clock of low priority", 64, "Clock1: ClockIn / 320, 15625 Hz")},
         .measure = [](const topologies::CostTable& costs) { return std::vector{seen_tick_us(costs, Priority::Low)}; }});
    groups.push_back(
        {.name = "timer_wait",
         .figures = {tick("timer_wait", "waits of low priority end at multiples of", 64,
                          "low wake-ups are quantised to 64 us")},
         .measure = [](const topologies::CostTable& costs) { return std::vector{low_tick_us(costs, t800_20_hz)}; }});
}

}  // namespace validation
