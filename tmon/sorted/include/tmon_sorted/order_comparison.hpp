// OrderComparison: the causal sorter and merges by time on the same records as they arrive (Kimelman and Zernik 1993, section
// 3). It counts messages that run backwards, added delays, and records held back. It keeps the window after each insertion
// (figure 3).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tmon_streams/trace_feed.hpp>

namespace tmon_sorted {

struct OrderFigures {
    std::string name;                                   // "cause", or the merge's
    std::uint64_t messages = 0, backwards = 0;          // joined; received before they are sent, in this order
    std::uint64_t delayed = 0;                          // records reported later than they came
    std::uint64_t delay_sum_us = 0, most_delay_us = 0;  // by the host's clock
    std::uint64_t stalled_us = 0;                       // time during which records were held back
    std::uint64_t most_held = 0;
};

// The graph of the sorter after an insertion.
struct WindowSample {
    std::uint32_t total = 0, unreported = 0;
};

struct ComparedOrders {
    std::uint64_t records = 0, lost = 0, left_out = 0;
    std::uint64_t contradictions = 0;  // of the causal sort
    std::string status{};              // of a stored trace
    std::uint16_t nodes = 0;
    bool timed = true;                 // false: nobody knows when the records came, so there are no delays
    std::vector<OrderFigures> orders;  // cause first
    std::vector<WindowSample> window;  // by insertion
    double mean_window = 0, mean_unreported = 0;
};

class OrderComparison final : public tmon_streams::TraceFeed {
public:
    // Memory: 8 bytes a record, and what is held back.
    explicit OrderComparison(std::uint16_t nodes);
    ~OrderComparison() override;
    OrderComparison(const OrderComparison&) = delete;
    OrderComparison& operator=(const OrderComparison&) = delete;

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    // After the run.
    ComparedOrders finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

// The records of a stored trace in the order of the file. Throws vocabulary::InputError when there is no trace.
ComparedOrders compare_orders(const std::string& trace);

// At most 128 columns a line; ends with a new line.
std::string comparison_text(const ComparedOrders& result);
// {"schema": "magicwire.order/1", ...}
nlohmann::ordered_json comparison_json(const ComparedOrders& result);
// A line for each insertion: number, total, unreported.
std::string window_csv(const ComparedOrders& result);

}  // namespace tmon_sorted
