// ClockErrors: errors of adjusted and raw times against true time (tmon_oracle/true_clocks.hpp).
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
#include <tmon_order/trace_sorter.hpp>
#include <tmon_pictures/curve_picture.hpp>

namespace tmon_oracle {

// Quantiles of errors by size: half of the errors are smaller than `half_us`, and so on.
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
    // One point for each record of a tied node with a known clock, except the reference, by node and number. A point is the
    // distance of the record's time from the reference's clock at the record's true time.
    std::vector<Point> synchronised;
    // The same for the raw clocks of all known nodes, each set right once at the node's first record. The remaining error is
    // drift.
    std::vector<Point> without;
    ErrorQuantiles of_synchronised, of_without;
    double raw_worst_us = 0;  // of raw clocks, never set right
    // Final times of the sort by cause, by the drift of each node and by the controlled clock; empty unless asked for.
    std::vector<Point> sorted, amortised;
    ErrorQuantiles of_sorted, of_amortised;
    tmon_clocks::CausalityCheck by_truth;
    std::uint16_t reference = 0;   // the node whose clock the others are compared with: the common one if there is one
    double reference_off_ppm = 0;  // drift of that clock against true time; no interrupt can show it
};

// `truth`: by node. Without synchronisation, raw clocks are compared with node `otherwise`. Empty when the true behaviour of
// that clock is not known.
std::optional<ClockErrors> clock_errors(const tmon_streams::Trace& trace, const tmon_clocks::ClockAdjustment& adjustment,
                                        const std::vector<TrueClock>& truth, std::uint16_t otherwise = 0);
// Collects the errors of final times from a sort, against the clock of node `reference`.
class FinalTimeErrors : public tmon_order::SortedItems {
public:
    // EXPECTS a reference whose clock is known.
    FinalTimeErrors(const std::vector<TrueClock>& truth, std::uint16_t reference);
    void item(const tmon_order::SortedItem& item) override;

    std::vector<ClockErrors::Point> points;  // as ClockErrors::synchronised, in the order of the sort

private:
    const std::vector<TrueClock>& truth_;
    const std::uint16_t reference_;
};

ErrorQuantiles quantiles_of(const std::vector<ClockErrors::Point>& points);

// Messages of a node whose clock is not known count as no contradiction.
tmon_clocks::CausalityCheck check_true(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                                       const std::vector<TrueClock>& truth);

// Curves of the error against true time, without synchronisation and, if there is one, with it. One point a record, a few
// thousand at most.
tmon_pictures::CurvePicture error_picture(const ClockErrors& errors);

// The part of the report of `magicwire clocks` that compares with the truth. At most 128 columns a line.
std::string error_text(const tmon_clocks::ClockAdjustment& clocks, const ClockErrors& errors);
// Adds the same to the report that clock_json() made.
void add_errors(nlohmann::ordered_json& report, const tmon_clocks::ClockAdjustment& clocks, const ClockErrors& errors);

}  // namespace tmon_oracle
