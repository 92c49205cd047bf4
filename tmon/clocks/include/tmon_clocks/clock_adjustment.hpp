// ClockAdjustment: all records of a trace on one clock. Tmon's global interrupt reaches every node within nanoseconds. Each
// node then records its own clock (EventKind::Synchronise; thesis, section 5.3.2). Two clocks that were read at the same
// interrupt are tied together there. Between two interrupts a clock is taken as even; before the first and after the last it
// goes on as it did near them. The common clock is that of one node, the reference, since its monitoring began: nobody knows
// true time.
//
// A record's own time is never changed: the adjusted one stands beside it, with the event that forced it (design D9).
//
// Accuracy of an interrupt: each reading is up to a tick (1 us) early. It is late by the time until a process of high priority
// on that node could read the clock. That is about 2 us, and much more while another one of high priority was at work, since
// those are not interrupted. Late readings show, because readings are never early: one that lies more than 2 us above the line
// between its neighbours is not used. A node that missed an interrupt counts too few from then on. A node that took a late
// interrupt for the next one counts too many. Either shows as a step of a whole period, and the node's further numbers are
// corrected. A node whose readings still do not go together (ClockDoubt) is not tied: a wrong number would make a wrong clock.
//
// Without Synchronise records (Tmon-de) nothing ties the clocks together. Times are then the raw ones, and only the order of
// the records of one node means something.
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
    std::int64_t ns = 0;               // on the common clock; below 0 for what happened before the reference began
    std::optional<EventId> forced_by;  // why it is not the raw time; empty: it is
};

// Why the readings of a node do not tie its clock.
enum class ClockDoubt : std::uint8_t {
    None,
    TooFast,     // between two of them the clocks would part by more than 1000 ppm, which no crystal does
    MostlyLate,  // more of them would be late than in time
    LateInARow,  // eight of them, one after the other, would be late
};
std::string_view why(ClockDoubt doubt);  // for people; for None: that no interrupt is recorded

// One clock as the interrupts show it. Figures in microseconds and parts per million.
struct NodeClock {
    std::uint16_t node = 0;
    std::size_t interrupts = 0;       // recorded by this node
    std::size_t missing = 0;          // known to other nodes, but no record of this node came
    std::size_t late = 0;             // read too late to be used
    std::size_t recounted = 0;        // steps of whole periods: interrupts that the node did not see
    std::optional<double> drift_ppm;  // against the reference; at least three interrupts
    double drift_error_ppm = 0;       // at most, with readings off by the tolerance or what was seen, in any order
    ClockDoubt doubt = ClockDoubt::None;
    // How far a reading lies from the line between its neighbours: half of those that are used are nearer than `typical_us`.
    double typical_us = 0, worst_us = 0;
    double worst_late_us = 0;  // among those that are not used
};

class ClockAdjustment {
public:
    // `reference`: the node whose clock is the common one. The interrupt master is best, since its readings are not late.
    // Without a value, or without a record of that node: the node with most Synchronise records, the lowest of several. Cost:
    // the trace is read once, memory follows the interrupts.
    explicit ClockAdjustment(const tmon_streams::Trace& trace, std::optional<std::uint16_t> reference = {});

    // True when any clock is tied to another.
    bool synchronised() const { return reference_.has_value(); }
    std::optional<std::uint16_t> reference() const { return reference_; }
    // The mean time between two interrupts by the reference's clock; 0 when it saw fewer than two.
    double period_us() const { return period_us_; }
    // The node's clock can be adjusted: it is the reference's, or an interrupt ties it to that.
    bool tied(std::uint16_t node) const;
    bool all_tied() const;
    // The raw time where the node is not tied. Cost: logarithmic in its interrupts.
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
