#include <hw_model/timing.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

struct TurnRound {
    double one_way, both_ways;
};

TurnRound turn_round(const topologies::CostTable& costs, std::int64_t bits_per_second) {
    switch (bits_per_second) {
        case 20'000'000:
            return {costs.get("link.turn_round_20_one_way", "bits"), costs.get("link.turn_round_20_both_ways", "bits")};
        case 10'000'000:
            return {costs.get("link.turn_round_10", "bits"), costs.get("link.turn_round_10", "bits")};
        case 5'000'000:
            return {costs.get("link.turn_round_5", "bits"), costs.get("link.turn_round_5", "bits")};
        default:
            break;
    }
    EXPECTS(false, "link_timing.bit_rate");
    return {};
}

Cycles cycles(const topologies::CostTable& costs, const char* name) {
    return Cycles(static_cast<std::int64_t>(std::llround(costs.get(name, "cycles"))));
}

constexpr std::int64_t stated_access = 3;  // that of the T800 boards the table's costs are stated for

// Time of code and data in memory with accesses of so many cycles, over that on chip. A T800 has no accesses of two cycles.
std::int64_t slow_down_percent(const topologies::CostTable& costs, std::int64_t access) {
    if (access == 1) return 100;
    EXPECTS(access >= 3 && access <= 6, "processor_timing.external_access");
    return std::llround(costs.get("memory.slow_down_" + std::to_string(access), "percent"));
}

}  // namespace

ProcessorTiming processor_timing(const topologies::CostTable& costs) {
    const Cycles access = cycles(costs, "memory.external_access");
    return {.preempt_latency = cycles(costs, "processor.preempt_latency"),
            .preempt_latency_most = cycles(costs, "processor.preempt_latency_most"),
            .preempt_latency_most_fpu = cycles(costs, "processor.preempt_latency_most_fpu"),
            .resume_preempted = cycles(costs, "processor.resume_preempted"),
            .start_process = cycles(costs, "processor.start_process"),
            .timeslice = costs.time("processor.timeslice"),
            .high_tick = costs.time("processor.high_timer_tick"),
            .low_tick = costs.time("processor.low_timer_tick"),
            .offset_most_us = static_cast<std::int64_t>(costs.get("clock.offset_most", "us")),
            .drift_most_ppm = static_cast<std::int64_t>(costs.get("clock.drift_most", "ppm")),
            .external_access = access,
            .code_percent = slow_down_percent(costs, access.count()),
            .code_percent_stated = slow_down_percent(costs, stated_access)};
}

double block_move_factor(const ProcessorTiming& timing) {
    return static_cast<double>(stated_access) / static_cast<double>(timing.external_access.count()) *
           static_cast<double>(timing.code_percent) / static_cast<double>(timing.code_percent_stated);
}

LinkTiming link_timing(const topologies::CostTable& costs, std::int64_t bits_per_second) {
    const double bit_ps = 1e12 / static_cast<double>(bits_per_second);
    const double packet = costs.get("link.data_packet", "bits"), pass = costs.get("switch.pass", "bits");
    const TurnRound x = turn_round(costs, bits_per_second);
    LinkTiming timing{.setup = cycles(costs, "link.setup"),
                      .completion = cycles(costs, "link.completion"),
                      .host_byte = costs.time("host.adaptor_byte")};
    for (std::size_t passes = 0; passes <= LinkTiming::most_switches; ++passes) {
        const double delay = pass * static_cast<double>(passes);
        const double one_way = std::max(packet, 2 * x.one_way + 2 * delay), both_ways = packet + x.both_ways + delay;
        timing.byte_one_way[passes] = SimTime::ps(std::llround(one_way * bit_ps));
        // The reverse direction never makes a byte faster; with many switches the one-way period is the longer one.
        timing.byte_both_ways[passes] = SimTime::ps(std::llround(std::max(one_way, both_ways) * bit_ps));
    }
    return timing;
}

}  // namespace hw_model
