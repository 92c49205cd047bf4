// CausalMerge: a stored trace in one total order that agrees with its causal order, whatever order its blocks arrived in. Among
// the records that are free the one with the least (final time, node, number) comes next. So final times never run backwards.
//
// The first pass sorts the blocks in the order of the file, as they arrived, and finds the receives without a send. The second
// reads one block a node. Memory: the window, and 16 bytes a receive without a send.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tmon_order/trace_sorter.hpp>
#include <tmon_streams/stream_cursor.hpp>

namespace tmon_order {

// A record that the sort of the whole trace released without all of its sources.
struct Released {
    std::uint32_t seq = 0;
    Assumed assumed = Assumed::Nothing;
    std::optional<RecordId> contradicted{};
};

// By node, in the order of the numbers.
using ReleasedRecords = std::vector<std::vector<Released>>;

// Keeps them while a TraceSorter runs.
class ReleasedList : public SortedItems {
public:
    explicit ReleasedList(std::uint16_t nodes) : released_(nodes) {}
    void item(const SortedItem& item) override;
    ReleasedRecords take() { return std::move(released_); }

private:
    ReleasedRecords released_;
};

// The first pass over a trace file. `left_out`: records that are repeated, damaged or of unknown nodes.
ReleasedRecords released_in(const tmon_streams::TraceIndex& index, std::uint16_t nodes, std::uint64_t& left_out);
// Feeds the sorter with the blocks of a file in their order, and finishes it. Returns the number of records whose blocks are
// damaged.
std::uint64_t feed_from(const std::string& path, TraceSorter& sorter);

class CausalMerge {
public:
    struct Options {
        tmon_streams::MainClock clock{};  // raw times; empty: the nodes' own clocks
        std::int64_t least_latency_ns = 0;
        std::unique_ptr<OrderRules> rules{};  // empty: record_rules()
    };
    // `index` must outlive the merge.
    CausalMerge(const tmon_streams::TraceIndex& index, std::uint16_t nodes, ReleasedRecords released, Options options);
    ~CausalMerge();
    CausalMerge(const CausalMerge&) = delete;
    CausalMerge& operator=(const CausalMerge&) = delete;

    struct Item {
        const tmon_streams::TraceItem* item = nullptr;  // never Unloaded; its main_ns is the final time
        SortedRecord order;
    };
    // The next item; null at the end. Valid until the next call. Throws vocabulary::InputError when the file has changed.
    const Item* next();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_order
