// ClockErrors: how far adjusted and raw times are from true time, as tmon/true_clocks.hpp has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tmon/clock_adjustment.hpp"
#include "tmon/curve_picture.hpp"
#include "tmon/logical_time.hpp"
#include "tmon/true_clocks.hpp"

namespace tmon {

// Of a set of errors, by size: half of them are smaller than `half_us`, and so on.
struct ErrorQuantiles {
    std::size_t records = 0;
    double half_us = 0, most_90_us = 0, most_99_us = 0, worst_us = 0;
    double mean_us = 0;  // with its sign
};

// Messages whose receive is recorded before their send. A send is recorded when its process goes on after the message has
// passed, and a receive as well, so that this happens by true time too; clocks that are off make it many more, or others.
struct CausalityCheck {
    std::uint64_t messages = 0;  // of tasks and results, with both ends recorded
    std::uint64_t contradicted = 0;
    double worst_us = 0;
};

struct ClockErrors {
    struct Point {
        double true_us = 0, error_us = 0;
        std::uint16_t node = 0;
    };
    // Of every record of the nodes that are tied and known, except the reference's own, in order of node and number: how far
    // its time is from what the reference's clock showed at the record's true time.
    std::vector<Point> synchronised;
    // The same of the raw clocks, each set right once, at the node's first record; all known nodes. What is left is drift.
    std::vector<Point> without;
    ErrorQuantiles of_synchronised, of_without;
    double raw_worst_us = 0;  // of raw clocks that nobody ever set right
    CausalityCheck by_truth;
    std::uint16_t reference = 0;   // the node whose clock the others are held against: the common one when there is one
    double reference_off_ppm = 0;  // of that clock against true time: no interrupt can tell that
};

// `truth`: by node. Without a reference (no synchronisation) the raw clocks are held against node `otherwise`. Nothing when the
// truth about that clock is not known.
std::optional<ClockErrors> clock_errors(const Trace& trace, const ClockAdjustment& adjustment,
                                        const std::vector<TrueClock>& truth, std::uint16_t otherwise = 0);
ErrorQuantiles quantiles_of(const std::vector<ClockErrors::Point>& points);

CausalityCheck check_adjusted(const Trace& trace, const LogicalTime& order, const ClockAdjustment& adjustment);
CausalityCheck check_raw(const Trace& trace, const LogicalTime& order);
// A message between nodes of which one's clock is not known contradicts nothing.
CausalityCheck check_true(const Trace& trace, const LogicalTime& order, const std::vector<TrueClock>& truth);

// Error against true time, with synchronisation where there is one, and without: a point a record, at most some thousands.
CurvePicture error_picture(const ClockErrors& errors);

}  // namespace tmon
