// Costs that the monitor adds to an unmonitored farm. They follow from the cost table, the unload sequence and the counts of
// probes, packets and hops. Nothing is measured, and no monitored farm runs. Derived in docs/model/overhead_formulas.md;
// docs/results/overhead_formulas.md compares them with runs (campaigns/throughput.yaml).
#pragma once

#include <cstdint>

#include <farm_model/costs.hpp>
#include <scenario/scenario.hpp>

namespace prediction {

// Prices of monitoring for one node, in seconds.
struct MonitorPrices {
    double probe_s = 0;          // of a record: probe and meter
    double own_s = 0;            // of a record: leaving its own node; 0 when records stay until the end
    double relay_s = 0;          // of a record: each node on its way
    double link_s_per_byte = 0;  // of a record on a link, with its share of the packet header
    double looking = 0;          // share of processor time that the buffer manager's looks take
};

// Prices under the sequence's first command. Under adaptive reporting, prices of a node that is never idle: a buffer leaves
// when full. `clock_hz`: the node's.
MonitorPrices monitor_prices(const scenario::Scenario& scenario, std::int64_t clock_hz);
// The same for messages of so many records each.
MonitorPrices monitor_prices(const scenario::Scenario& scenario, std::int64_t clock_hz, double records);

// The slowest of all wires, which records may have to pass.
std::int64_t slowest_link_bits_per_second(const scenario::Scenario& scenario);

// `link_byte_s`: time of a byte on a link. A task makes two records in a node that computes it, and four in a node that passes
// it on. In a node that splits it into k it makes two and 2 k.
farm_model::Costs with_monitor(const farm_model::Costs& costs, const scenario::Scenario& scenario, double link_byte_s);

}  // namespace prediction
