// ClockAdjustment: all records of a trace on one clock. Tmon's global interrupt reaches every node within nanoseconds. Each
// node then records its own clock (EventKind::Synchronise; thesis, section 5.3.2). Two clocks that were read at the same
// interrupt are tied together there. Between two interrupts each clock is assumed to run at a constant rate. Before the first
// and after the last it keeps the rate that it had near them. The common clock is the clock of one node, the reference, from
// the begin of its monitoring; true time is not known.
//
// A record's own time never changes. The adjusted time is a second value, with the event that forced it.
//
// Accuracy of a reading: the tick makes it up to 1 us early. It is late by the time until a high-priority process on that node
// could read the clock. That delay is about 2 us, and much longer while another high-priority process runs, because high
// priority is never interrupted. A reading more than 2 us above the line between its neighbours counts as late and is not
// used. A node that missed an interrupt counts too few from then on. A node that took a late interrupt for the next one counts
// too many. Either error shows as a step of a whole period, and the node's later numbers are corrected. A node whose readings
// remain inconsistent (ClockDoubt) is not tied: a wrong number would give a wrong clock.
//
// Without Synchronise records (Tmon-de) nothing ties the clocks together. Adjusted times are then the raw times, and only the
// order of one node's records is meaningful.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tmon_streams/trace.hpp>

namespace tmon_clocks {

using trace_record::Event;
using trace_record::EventKind;

// The id of an event as it is printed: n3:17.
struct EventId {
    std::uint16_t node = 0;
    std::uint32_t seq = 0;

    friend bool operator==(const EventId&, const EventId&) = default;
};

struct AdjustedTime {
    std::int64_t ns = 0;               // on the common clock; negative before the reference began
    std::optional<EventId> forced_by;  // the event that changed it; empty: it is the raw time
};

// Why the readings of a node do not tie its clock.
enum class ClockDoubt : std::uint8_t {
    None,
    TooFast,     // two readings imply a drift above 1000 ppm, which no crystal has
    MostlyLate,  // more readings would be late than on time
    LateInARow,  // eight readings in a row would be late
};
std::string_view why(ClockDoubt doubt);  // for people; None: no interrupt is recorded

// One clock as the interrupts show it. Figures in microseconds and parts per million.
struct NodeClock {
    std::uint16_t node = 0;
    std::size_t interrupts = 0;       // recorded by this node
    std::size_t missing = 0;          // seen by other nodes, without a record from this one
    std::size_t late = 0;             // read too late to be used
    std::size_t recounted = 0;        // steps of whole periods: interrupts that the node did not see
    std::optional<double> drift_ppm;  // against the reference; empty below three interrupts
    double drift_error_ppm = 0;       // upper bound, for readings off by the tolerance or the seen spread
    ClockDoubt doubt = ClockDoubt::None;
    // Median and largest distance of a used reading from the line between its neighbours.
    double typical_us = 0, worst_us = 0;
    double worst_late_us = 0;  // the same among the late readings
};

class ClockAdjustment {
public:
    // `reference`: the node whose clock becomes the common one. The interrupt master is best, since its readings are never
    // late. Without a value, or without a record of that node: the node with the most Synchronise records, the lowest on a
    // tie. Cost: one pass over the trace; memory grows with the interrupts.
    explicit ClockAdjustment(const tmon_streams::Trace& trace, std::optional<std::uint16_t> reference = {});

    // True when any clock is tied to another.
    bool synchronised() const { return reference_.has_value(); }
    std::optional<std::uint16_t> reference() const { return reference_; }
    // The mean time between two interrupts by the reference's clock; 0 when it saw fewer than two.
    double period_us() const { return period_us_; }
    // True when the node's clock can be adjusted: it is the reference, or an interrupt ties it to the reference.
    bool tied(std::uint16_t node) const;
    bool all_tied() const;
    // The raw time when the node is not tied. Cost: logarithmic in the node's interrupts.
    AdjustedTime adjusted(const Event& event) const;
    const std::vector<NodeClock>& clocks() const { return clocks_; }  // by node

private:
    struct Tie {  // one interrupt at two clocks
        std::uint32_t seq = 0;
        double local_us = 0, common_us = 0;
    };
    struct Slope {
        double rate = 1;  // common time per unit of local time
    };
    class Builder;

    static AdjustedTime along(const Tie& from, double rate, const Event& event);

    std::optional<std::uint16_t> reference_;
    double period_us_ = 0;
    std::vector<std::vector<Tie>> ties_;  // by node, ascending; only those that are used
    std::vector<Slope> before_, after_;   // by node: how the clock goes on at the ends
    std::vector<NodeClock> clocks_;
};

}  // namespace tmon_clocks
