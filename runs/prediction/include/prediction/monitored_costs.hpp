// Costs that the monitor adds to a farm that is not monitored. They follow from the cost table, the unload sequence and the
// counts of probes, packets and hops alone. Nothing is measured, and no monitored farm has to run. Derived in
// docs/model/overhead_formulas.md; docs/results/overhead_formulas.md compares them with runs (scripts/throughput_campaign).
#pragma once

#include <cstdint>

#include <farm_model/costs.hpp>
#include <scenario/scenario.hpp>

namespace prediction {

// Prices of watching for one node. Seconds.
struct MonitorPrices {
    double probe_s = 0;          // of a record: probe and meter
    double own_s = 0;            // of a record: its way out of its own node; 0 when records stay until the end
    double relay_s = 0;          // of a record: a node on its way
    double link_s_per_byte = 0;  // bytes of a record on a link, its share of the packet's header included
    double looking = 0;          // share of the processor's time that the buffer manager's looks take
};

// Prices under the sequence's first command. Under adaptive reporting, those of a node that is never idle: a buffer leaves when
// it is full. `clock_hz`: of the node.
MonitorPrices monitor_prices(const scenario::Scenario& scenario, std::int64_t clock_hz);

// `link_byte_s`: time of a byte on a link. A task makes two records in a node that computes it, and four in a node that passes
// it on. In a node that splits it into k it makes two and 2 k.
farm_model::Costs with_monitor(const farm_model::Costs& costs, const scenario::Scenario& scenario, double link_byte_s);

}  // namespace prediction
