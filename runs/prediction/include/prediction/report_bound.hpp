// ReportBound: how long a record may be on its way to the host, known before the run. From making it to the unload of its
// buffer: the unload sequence. The flight: the prices of the cost table, when a full buffer of every node waits for the last
// link. So it bounds the time until a stop shows in a streaming verdict (docs/guide/streaming.md). Derived here; measured
// against runs by tests/unit/prediction.
#pragma once

#include <optional>
#include <string>

#include <scenario/scenario.hpp>

namespace prediction {

struct ReportBound {
    // Longest time from a record to its unload, from that clock on. Empty: the sequence sets none, as nodes may keep records to
    // the end.
    std::optional<vocabulary::SimTime> gap;
    bool when_idle = false;      // the gap holds on nodes that have little to do
    vocabulary::SimTime flight;  // from the unload to the host
    vocabulary::SimTime look;    // between two looks of the host

    vocabulary::SimTime way() const { return gap.value_or(vocabulary::SimTime()) + flight; }
    vocabulary::SimTime sum() const { return way() + look; }
};

// clock: of the nodes, since their monitoring began. The scenario is monitored. Cost: the routes of the machine.
ReportBound report_bound(const scenario::Scenario& scenario, vocabulary::SimTime clock);

// How far the records at the host may be behind a node whose clock shows this: all that it made before have come. Empty: see
// `gap` and `when_idle`. `flight`: of report_bound().
std::optional<vocabulary::SimTime> report_behind(const scenario::Scenario& scenario, vocabulary::SimTime clock,
                                                 vocabulary::SimTime flight);

// "within 57.4 ms: unload gap 31.3 ms, flight 24.1 ms, look 2 ms"
std::string report_bound_text(const ReportBound& bound);

}  // namespace prediction
