#include <prediction/monitored_costs.hpp>

#include <algorithm>
#include <cstdint>

#include <hw_model/timing.hpp>
#include <topologies/link_speeds.hpp>

#include "mean_task.hpp"

namespace prediction {
namespace {

// Records that leave in one message; 0: none leaves before the end.
double batch_of(const scenario::Scenario& scenario) {
    const auto buffer = scenario.costs.get("monitor.buffer", "records");
    const double one_packet = scenario.costs.get("kernel.most_packet", "bytes") / scenario.costs.get("monitor.record", "bytes");
    double batch = buffer;
    if (scenario.monitor->unload) {
        const double upper = scenario.monitor->unload->at(0).upper;
        const double of_a_task = std::max(4.0, 2 + 2.0 * scenario.farm.degree);
        const double most = of_a_task * scenario.farm.tasks / scenario.farm.granularity;
        if (upper >= std::min(2 * buffer, most)) return 0;  // a full buffer drops what comes
        batch = std::min(upper + 1, buffer);
    }
    return std::clamp(batch, 1.0, std::max(1.0, one_packet));
}

// A node with its monitor. Seconds.
struct Watched {
    explicit Watched(const MonitorPrices& of_node)
        : prices(of_node), record(of_node.probe_s + of_node.own_s), longer(1 / (1 - std::min(0.9, of_node.looking))) {}

    MonitorPrices prices;
    double record;
    double longer;  // everything takes longer by this factor, since the manager's looks take a part of the processor
};

}  // namespace

MonitorPrices monitor_prices(const scenario::Scenario& scenario, std::int64_t clock_hz) {
    return monitor_prices(scenario, clock_hz, batch_of(scenario));
}

MonitorPrices monitor_prices(const scenario::Scenario& scenario, std::int64_t clock_hz, double records) {
    const topologies::CostTable& costs = scenario.costs;
    const hw_model::ProcessorTiming timing = hw_model::processor_timing(costs);
    const double factor = hw_model::work_factor(timing, clock_hz), cycle = 1 / static_cast<double>(clock_hz);
    const auto us = [&](const char* name) { return costs.work(name).in_seconds() * factor; };
    const auto cycles = [&](const char* name) { return costs.get(name, "cycles") * cycle; };
    const double start = cycles("processor.start_process");
    // A process of high priority comes between: the low one is cut, and goes on.
    const double look =
        us("monitor.manager_check") + cycles("processor.preempt_latency") + start + cycles("processor.resume_preempted");
    MonitorPrices prices;
    prices.probe_s = us("monitor.probe") + us("monitor.meter");
    prices.looking = look / (costs.time("monitor.manager_period").in_seconds() + us("monitor.manager_check") + start);
    if (records == 0) return prices;
    const double body = records * costs.get("monitor.record", "bytes");
    const double packet = body + costs.get("kernel.datalink_header", "bytes");
    const double access = static_cast<double>(timing.external_access.count());
    const double stolen = packet / 4 * cycles("link.stolen_cycles") * access;  // of each word, at each end of a link
    const double copied = body / (costs.get("kernel.copy", "MB/s") * hw_model::block_move_factor(timing) * 1e6) * factor;
    const double operation = us("kernel.rendezvous") + copied;
    const double route = us("kernel.route_look_up");
    // Its own node: one rendez-vous, with the link's process. A node on the way: two, link to bufferd and bufferd to link.
    prices.own_s =
        (look + records * us("monitor.pack_record") + route + operation + cycles("link.setup") + stolen + 3 * start) / records;
    prices.relay_s =
        (2 * operation + route + cycles("link.setup") + cycles("link.completion") + 2 * stolen + 4 * start) / records;
    prices.link_s_per_byte = packet / records;
    return prices;
}

std::int64_t slowest_link_bits_per_second(const scenario::Scenario& scenario) {
    return topologies::wire_speeds(scenario.machine).front();
}

farm_model::Costs with_monitor(const farm_model::Costs& costs, const scenario::Scenario& scenario, double link_byte_s) {
    const Watched worker(monitor_prices(scenario, clock_hz_of(scenario, 1)));
    const Watched manager(monitor_prices(scenario, clock_hz_of(scenario, 0)));
    farm_model::Costs all = costs;
    all.execute_s = (costs.compute(0) + costs.execute_s + 2 * worker.record) * worker.longer - costs.compute(0);
    all.forward_s = (costs.forward_s + 4 * worker.record) * worker.longer;
    if (scenario.farm.divides())
        all.split_s = (costs.split_s + (2 + 2.0 * scenario.farm.degree) * worker.record) * worker.longer;
    all.manager_s = (costs.manager_s + 2 * manager.record) * manager.longer;
    for (double* way : {&all.hop_down_s, &all.hop_up_s}) *way += 2 * worker.prices.probe_s;
    for (double* step : {&all.fill_s, &all.pass_s}) *step += worker.prices.probe_s;
    if (all.manager_pass_s > 0) all.manager_pass_s += manager.prices.probe_s;
    all.relay_s = worker.prices.relay_s * worker.longer;
    all.manager_relay_s = manager.prices.relay_s * manager.longer;
    all.record_link_s = worker.prices.link_s_per_byte * link_byte_s;
    return all;
}

}  // namespace prediction
