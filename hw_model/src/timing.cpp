#include <hw_model/timing.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

struct TurnRound {
    double data, acknowledge;  // bits
};

TurnRound turn_round(const topologies::CostTable& costs, std::int64_t bits_per_second) {
    EXPECTS(bits_per_second == 5'000'000 || bits_per_second == 10'000'000 || bits_per_second == 20'000'000,
            "link_timing.bit_rate");
    const std::string name = "link.turn_round_" + std::to_string(bits_per_second / 1'000'000);
    return {costs.get(name + "_data", "bits"), costs.get(name + "_acknowledge", "bits")};
}

Cycles cycles(const topologies::CostTable& costs, const char* name) {
    return Cycles(static_cast<std::int64_t>(std::llround(costs.get(name, "cycles"))));
}

constexpr std::int64_t stated_access = 3;  // the access of the T800 boards that the table's costs are stated for

// Time of code and data in memory whose accesses take `access` cycles, over the time on chip. A T800 has no accesses of two
// cycles.
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

Cycles stated_cycles(SimTime duration) {
    return Cycles((duration.in_ps() + stated_cycle_ps - 1) / stated_cycle_ps);
}

double work_factor(const ProcessorTiming& timing, std::int64_t clock_hz) {
    return 1e12 / static_cast<double>(clock_hz) / static_cast<double>(stated_cycle_ps) *
           static_cast<double>(timing.code_percent) / static_cast<double>(timing.code_percent_stated);
}

double block_move_factor(const ProcessorTiming& timing) {
    return static_cast<double>(stated_access) / static_cast<double>(timing.external_access.count()) *
           static_cast<double>(timing.code_percent) / static_cast<double>(timing.code_percent_stated);
}

t800_core::CoreSettings core_settings(const topologies::CostTable& costs, std::int64_t clock_hz) {
    const auto count = [&](const char* row) { return static_cast<std::uint32_t>(cycles(costs, row).count()); };
    t800_core::CoreSettings settings;
    settings.clock_hz = static_cast<std::uint32_t>(clock_hz);
    settings.external_access = count("memory.external_access");
    settings.preempt_latency = count("processor.preempt_latency");
    settings.preempt_latency_most_fpu = count("processor.preempt_latency_most_fpu");
    settings.resume = count("processor.resume_preempted");
    settings.link_setup = count("link.setup");
    settings.link_completion = count("link.completion");
    return settings;
}

LinkTiming link_timing(const topologies::CostTable& costs, std::int64_t bits_per_second) {
    const double bit_ps = 1e12 / static_cast<double>(bits_per_second);
    const double packet = costs.get("link.data_packet", "bits"), pass = costs.get("switch.pass", "bits");
    const TurnRound x = turn_round(costs, bits_per_second);
    const auto time = [bit_ps](double bits) { return SimTime::ps(std::llround(bits * bit_ps)); };
    LinkTiming timing{.setup = cycles(costs, "link.setup"),
                      .completion = cycles(costs, "link.completion"),
                      .stolen_on_chip = cycles(costs, "link.stolen_cycles"),
                      .stolen_external = cycles(costs, "link.stolen_cycles") * cycles(costs, "memory.external_access").count(),
                      .data_packet = time(packet),
                      .acknowledge_packet = time(costs.get("link.acknowledge_packet", "bits")),
                      .turn_round_data = time(x.data),
                      .turn_round_acknowledge = time(x.acknowledge),
                      .pass = time(pass),
                      .host_byte = costs.time("host.adaptor_byte")};
    for (std::size_t passes = 0; passes <= LinkTiming::most_switches; ++passes) {
        const double delay = pass * static_cast<double>(passes);
        const double one_way = std::max(packet, x.data + x.acknowledge + 2 * delay), both_ways = packet + x.data + delay;
        timing.byte_one_way[passes] = time(one_way);
        // The reverse direction never makes a byte faster; with many switches the one-way period is the longer one.
        timing.byte_both_ways[passes] = time(std::max(one_way, both_ways));
    }
    return timing;
}

}  // namespace hw_model
