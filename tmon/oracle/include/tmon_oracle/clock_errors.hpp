// ClockErrors: how far adjusted and raw times are from true time, as tmon_oracle/true_clocks.hpp has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tmon_clocks/causality_check.hpp>
#include <tmon_clocks/clock_adjustment.hpp>
#include <tmon_oracle/true_clocks.hpp>
#include <tmon_order/logical_time.hpp>
#include <tmon_pictures/curve_picture.hpp>

namespace tmon_oracle {

// Quantiles of a set of errors, by size: half of them are smaller than `half_us`, and so on.
struct ErrorQuantiles {
    std::size_t records = 0;
    double half_us = 0, most_90_us = 0, most_99_us = 0, worst_us = 0;
    double mean_us = 0;  // with its sign
};

struct ClockErrors {
    struct Point {
        double true_us = 0, error_us = 0;
        std::uint16_t node = 0;
    };
    // Covers every record of the nodes that are tied and known, except the reference's own, in order of node and number. Each
    // point is the distance of the record's time from the reference's clock at the record's true time.
    std::vector<Point> synchronised;
    // The same for the raw clocks, each set right once, at the node's first record; all known nodes. The rest is drift.
    std::vector<Point> without;
    ErrorQuantiles of_synchronised, of_without;
    double raw_worst_us = 0;  // of raw clocks that were never set right
    tmon_clocks::CausalityCheck by_truth;
    std::uint16_t reference = 0;   // the node whose clock the others are held against: the common one when there is one
    double reference_off_ppm = 0;  // of that clock against true time: no interrupt can show it
};

// `truth`: by node. Without a reference (no synchronisation) the raw clocks are held against node `otherwise`. Empty when the
// truth about that clock is not known.
std::optional<ClockErrors> clock_errors(const tmon_streams::Trace& trace, const tmon_clocks::ClockAdjustment& adjustment,
                                        const std::vector<TrueClock>& truth, std::uint16_t otherwise = 0);
ErrorQuantiles quantiles_of(const std::vector<ClockErrors::Point>& points);

// A message between two nodes contradicts nothing when the clock of either is not known.
tmon_clocks::CausalityCheck check_true(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                                       const std::vector<TrueClock>& truth);

// Error against true time, with synchronisation where there is one, and without: one point per record, at most some thousands.
tmon_pictures::CurvePicture error_picture(const ClockErrors& errors);

// The part of the report of `magicwire clocks` that compares with the truth. At most 128 columns a line.
std::string error_text(const tmon_clocks::ClockAdjustment& clocks, const ClockErrors& errors);
// The same, into the report that clock_json() made.
void add_errors(nlohmann::ordered_json& report, const tmon_clocks::ClockAdjustment& clocks, const ClockErrors& errors);

}  // namespace tmon_oracle
