// TraceSorter: the causal sorter on what the host receives from the monitor, block by block, while the machine runs. It reports
// each record as soon as all records that precede it are reported.
//
// Blocks of one node may come in any order. Those behind a gap wait until records or a reported loss close it, since the
// partner of a record follows from all records before it. Memory: the window of causal_sorter.hpp, 40 bytes a record in it, and
// the blocks that wait.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tmon_order/causal_sorter.hpp>
#include <tmon_order/order_rules.hpp>
#include <tmon_order/order_stamps.hpp>
#include <tmon_order/stream_states.hpp>
#include <tmon_streams/stream_cursor.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace tmon_order {

struct SortedItem {
    SortedRecord order;
    const trace_record::Event* event = nullptr;     // Record
    const trace_record::LossRange* loss = nullptr;  // Lost: the part that this item stands for
    const OrderStamps::Stamp* stamp = nullptr;      // Record: its vector time, where it was asked for
};

class SortedItems {
public:
    virtual ~SortedItems() = default;
    // Valid during the call. Order as in SortedOutput::report().
    virtual void item(const SortedItem& item) = 0;
};

// The user's patience. 0: for ever. Times are those of the host's clock.
struct Patience {
    std::uint64_t suspect_after_us = 0;  // a silent stream is suspect
    // A record that has waited so long for a cause is released, and so is a block behind a gap. If both are given the later one
    // counts. At the latest an eighth of it later.
    std::uint64_t give_up_records = 0, give_up_us = 0;
    struct Crash {
        std::uint16_t node = 0;
        std::uint64_t at_us = 0;  // the host's clock at which a person says so
    };
    std::vector<Crash> crashes{};
};

class TraceSorter : public tmon_streams::TraceFeed {
public:
    struct Options {
        tmon_streams::MainClock clock{};      // raw times; empty: the nodes' own clocks
        std::int64_t least_latency_ns = 0;    // see CausalSorter::Options
        std::unique_ptr<OrderRules> rules{};  // empty: record_rules()
        Patience patience{};
    };

    // Nodes 0 ... nodes - 1; blocks of other nodes are counted and left out. `items` must outlive the sorter.
    TraceSorter(std::uint16_t nodes, SortedItems& items, Options options);
    ~TraceSorter() override;
    TraceSorter(const TraceSorter&) = delete;
    TraceSorter& operator=(const TraceSorter&) = delete;

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    void heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) override;
    void moment(std::uint64_t came_us) override;
    // Somebody says that the node makes no more records. Gaps in what came are lost, and what comes afterwards is late. A node
    // that has finished stays so.
    void crashed(std::uint16_t node, CrashWord word);
    void finish();  // see CausalSorter

    const SorterCounts& counts() const;
    std::uint64_t left_out() const;   // records of unknown nodes
    std::uint64_t held_back() const;  // records behind a gap
    const StreamStates& streams() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_order
