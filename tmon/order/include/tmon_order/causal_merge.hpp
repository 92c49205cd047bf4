// CausalMerge: a stored trace in one total order that agrees with its causal order, whatever order its blocks arrived in. Among
// the records that are free the one with the least (final time, node, number) comes next. So final times never run backwards.
//
// The first pass sorts the records by time and finds the records without all of their sources. The second
// lets a receive without a send wait for nothing, and the end of a collective for the begins that have come. Each reads one
// block a node. Memory: the windows, and 40 bytes a record without all of its sources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <tmon_order/causal_sorter.hpp>
#include <tmon_order/order_rules.hpp>
#include <tmon_streams/stream_cursor.hpp>

namespace tmon_order {

// A record that the sort of the whole trace released without all of its sources.
struct Released {
    std::uint32_t seq = 0;
    Assumed assumed = Assumed::Nothing;
    std::optional<RecordId> contradicted{};
    std::uint32_t sources = 0;  // of its collective: so many have come, its own among them
};

// By node, in the order of the numbers.
using ReleasedRecords = std::vector<std::vector<Released>>;

// The first pass over a trace: by time, so the order of its blocks does not matter.
struct FirstPass {
    ReleasedRecords released;
    std::shared_ptr<OrderRules> rules;  // that know what the records say
    SorterCounts counts;
    std::uint64_t left_out = 0;  // records that are repeated, damaged or of unknown nodes
    bool whole = true;           // false: goes_on() said no
};
// `goes_on` is called from time to time with the number of records so far; it may be empty.
FirstPass first_pass(const tmon_streams::TraceIndex& index, std::uint16_t nodes, const tmon_streams::MainClock& clock,
                     const std::function<bool(std::uint64_t)>& goes_on = {});

class CausalMerge {
public:
    struct Options {
        // Those of the first pass, one merge after the other; empty: record_rules().
        std::shared_ptr<OrderRules> rules{};
        tmon_streams::MainClock clock{};    // raw times; empty: the nodes' own clocks
        std::int64_t least_latency_ns = 0;  // see CausalSorter::Options
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
