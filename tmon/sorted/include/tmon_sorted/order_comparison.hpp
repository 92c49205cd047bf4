// OrderComparison: the causal sorter and merges by time on the same records as they arrive (Kimelman and Zernik 1993, section
// 3). It counts messages that run backwards, added delays, and records held back. It keeps the window after each insertion
// (figure 3).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tmon_order/stream_merges.hpp>
#include <tmon_order/trace_sorter.hpp>
#include <tmon_sorted/arrival_log.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace tmon_sorted {

struct OrderFigures {
    std::string name;                                   // "cause", or the merge's
    std::uint64_t messages = 0, backwards = 0;          // joined; received before they are sent, in this order
    std::uint64_t delayed = 0;                          // records reported later than they came
    std::uint64_t delay_sum_us = 0, most_delay_us = 0;  // by the host's clock
    std::uint64_t stalled_us = 0;                       // time during which records were held back
    std::uint64_t most_held = 0;
    // Truth: messages that would run backwards if all nodes had one clock. The others are due to the clocks.
    std::optional<std::uint64_t> backwards_on_one_clock{};
};

// The clocks and the delivery, from the truth.
struct OrderTruth {
    // Messages whose records run backwards by true time: a task's send is recorded when it has left.
    std::uint64_t recorded_backwards = 0;
    // The most advanced of the nodes' clocks less the last one, at the first and at the last record of each.
    double clocks_apart_us = 0, clocks_apart_at_end_us = 0;
    double mean_delivery_us = 0, most_delivery_us = 0;  // from a record to its arrival
    double least_node_us = 0, most_node_us = 0;         // the mean of the node with the least, and with the most
};

// The graph of the sorter after an insertion.
struct WindowSample {
    std::uint32_t total = 0, unreported = 0;
};

// The monitor's messages to the host, all nodes together.
struct MonitorTraffic {
    std::uint64_t messages = 0, bytes = 0;  // bytes without headers
    std::uint64_t heartbeats = 0, flushes = 0;
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
    std::uint64_t heartbeats = 0;
    std::uint64_t against_heartbeats = 0;  // records that came although a heartbeat had said that they would not
    std::optional<OrderTruth> truth{};
    std::optional<MonitorTraffic> traffic{};
    std::vector<tmon_order::StreamStanding> standings{};  // by node, when the last message came
    std::uint64_t given_up = 0, late = 0;                 // records of the sort by cause
    bool interrupted = false;                             // the run was, so the figures are those of its beginning
};

// All of them, in the order of MergeKind.
std::vector<tmon_order::MergeKind> all_merges();

class OrderComparison final : public tmon_streams::TraceFeed {
public:
    // Memory: 8 bytes a record, and what is held back. Without `sorts` only the merges, and no window.
    OrderComparison(std::uint16_t nodes, std::vector<tmon_order::MergeKind> merges, bool sorts = true,
                    tmon_order::Patience patience = {});
    ~OrderComparison() override;
    OrderComparison(const OrderComparison&) = delete;
    OrderComparison& operator=(const OrderComparison&) = delete;

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    void heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) override;
    void moment(std::uint64_t came_us) override;
    // After the run.
    ComparedOrders finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

struct CompareOptions {
    std::vector<tmon_order::MergeKind> merges = all_merges();
    // The true time in ns of a node's record. Given, the merges are made by it, too. From the truth alone.
    OnClock::Clock true_ns{};
    tmon_order::Patience patience{};  // of the sort by cause
    // For a stored trace, called from time to time with the records of all passes so far and their total; false: stop there.
    std::function<bool(std::uint64_t done, std::uint64_t of)> progress{};
};

// The records of a run, as its host received them. Cost: one pass, two with true times.
ComparedOrders compare_orders(const ArrivalLog& log, std::uint16_t nodes, const CompareOptions& options);
// The records of a stored trace in the order of the file. Throws vocabulary::InputError when there is no trace.
ComparedOrders compare_orders(const std::string& trace, const CompareOptions& options);

// At most 128 columns a line; ends with a new line.
std::string comparison_text(const ComparedOrders& result);
// {"schema": "magicwire.order/1", ...}
nlohmann::ordered_json comparison_json(const ComparedOrders& result);
// A line for each insertion: number, total, unreported.
std::string window_csv(const ComparedOrders& result);

}  // namespace tmon_sorted
