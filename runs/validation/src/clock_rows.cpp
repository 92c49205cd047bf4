// T800-25 and T800-30. Times of processor and software scale with the clock of the node; the rates of links, the timeslice and
// the clocks do not.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "group.hpp"

namespace validation {
namespace {

using topologies::CostTable;
using topologies::Provenance;

struct Row {
    const char *name, *what, *unit;
    double least, most, tolerance_percent;
    const char* reason;
    Provenance provenance;
    const char* source;
    Proof proof;
};

// Adds a group that is measured on nodes of that clock.
void add(std::vector<Group>& groups, int megahertz, const char* name, const std::vector<Row>& rows,
         std::function<std::vector<double>(const CostTable&, std::int64_t)> measure) {
    Group group{.name = fmt::format("{}_{}mhz", name, megahertz), .figures = {}, .measure = {}};
    for (const Row& row : rows) {
        group.figures.push_back({.name = fmt::format("{}.{}", group.name, row.name),
                                 .what = fmt::format("{}, {} MHz", row.what, megahertz),
                                 .unit = row.unit,
                                 .least = row.least,
                                 .most = row.most,
                                 .tolerance_percent = row.tolerance_percent,
                                 .reason = row.reason,
                                 .provenance = row.provenance,
                                 .source = row.source,
                                 .proof = row.proof});
    }
    group.measure = [megahertz, measure = std::move(measure)](const CostTable& costs) {
        return measure(costs, megahertz * std::int64_t{1'000'000});
    };
    groups.push_back(std::move(group));
}

constexpr const char* three_digits = "rounded to three digits";

std::function<std::vector<double>(const CostTable&, std::int64_t)> one(double (*measure)(const CostTable&, std::int64_t)) {
    return [measure](const CostTable& costs, std::int64_t clock_hz) { return std::vector{measure(costs, clock_hz)}; };
}

}  // namespace

void add_clock_groups(std::vector<Group>& groups) {
    add(groups, 25, "work",
        {{"copy", "block move in external memory", "MB/s", 16.667, 16.667, 1, three_digits, Provenance::Derived,
          "6 cycles of 40 ns a word", Proof::Rule},
         {"speed", "computing, over 20 MHz", "ratio", 1.25, 1.25, 0.1, "the start of the process is in it", Provenance::Derived,
          "the clocks; no figure of a T800-25 was found", Proof::Rule}},
        kernel_speeds);
    add(groups, 30, "work",
        {{"copy", "block move in external memory", "MB/s", 20, 20, 1, three_digits, Provenance::Seen,
          "T800-30, external DRAM of 3 cycles", Proof::Independent},
         {"speed", "computing, over 20 MHz", "ratio", 1.5, 1.5, 0.1, "the start of the process is in it", Provenance::Recalled,
          "15 MIPS against 10, Whetstone 6.0 against 4.0 million a second", Proof::Independent}},
        kernel_speeds);
    for (const auto& [megahertz, latency] : {std::pair{25, 0.76}, std::pair{30, 0.6333}}) {
        add(groups, megahertz, "interrupt",
            {{"latency", "interrupt latency, typical", "us", latency, latency, 0.1, "the cycle is rounded to picoseconds",
              Provenance::Derived, "19 cycles", Proof::Charged}},
            one(interrupt_latency_us));
    }
    add(groups, 25, "message",
        {{"256", "message of 256 bytes", "us", 142, 151, 0, "the range measured", Provenance::Seen,
          "ispy, 256 bytes between T800-25, T425-20 and T400-20", Proof::Independent}},
        [](const CostTable& costs, std::int64_t clock_hz) { return std::vector{message_us(costs, 256, clock_hz)}; });
    add(groups, 30, "link",
        {{"one_way", "link 20 Mbit/s one way", "kB/s", 1740, 1740, 1.5, "as at 20 MHz", Provenance::Recalled,
          "links depend on ClockIn alone", Proof::Fitted},
         {"both_ways", "link 20 Mbit/s both ways", "kB/s", 2350, 2350, 1.5, "as at 20 MHz", Provenance::Recalled,
          "links depend on ClockIn alone", Proof::Fitted}},
        link_rates);
    add(groups, 30, "timeslice",
        {{"period", "timeslice, half of the longest run", "us", 1024, 1024, 2, "the loops look at the clock every 10 us",
          Provenance::Seen, "5120 periods of ClockIn, independent of processor speed", Proof::Charged}},
        one(half_of_longest_run_us));
    add(groups, 30, "timer_wait",
        {{"tick", "waits of low priority end at multiples of", "us", 64, 64, 0.1, "the clock drifts by up to 30 ppm",
          Provenance::Recalled, "timers depend on ClockIn alone", Proof::Charged}},
        one(low_tick_us));
}

}  // namespace validation
