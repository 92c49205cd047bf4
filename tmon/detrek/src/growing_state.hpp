// The state of a GrowingAnalysis. Private: growing_analysis.cpp takes records and reports, so_far.cpp looks at a farm under
// way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/growing_analysis.hpp>
#include <tmon_streams/stream_ledger.hpp>
#include "kept_tasks.hpp"

namespace tmon_detrek {

struct GrowingAnalysis::State {
    struct Node {
        std::uint64_t task_records = 0;  // of class Task
        std::uint64_t last_us = 0;
        std::optional<std::int64_t> least_us;  // the host's clock less the node's, as the fastest record had it
        std::uint64_t got = 0, gave = 0;       // from its parent, and to it; a stolen part that went back counts as not got
        std::vector<std::pair<std::uint32_t, FoldedTasks::Use>>
            uses;  // number of the first record at each edge; sorted by edge
    };

    explicit State(const farm_spec::FarmSpec& of);

    void take_all(std::uint16_t node, std::span<const Event> events);
    void take(Node& node, const Event& event);
    void note_use(Node& node, const Event& event) const;
    // Streams without records.
    tmon_streams::Trace trace(const tmon_streams::Trace& facts) const;
    FoldedTasks folded() const;
    // By node: the host's clock less the node's, at most. The fastest record of the node bounds it, and so does a step to its
    // parent.
    std::vector<std::optional<std::int64_t>> offsets_us() const;

    const farm_spec::FarmSpec spec;
    const farm_spec::FarmTree tree;
    std::vector<tmon_streams::StreamLedger> ledgers;
    std::vector<Node> nodes;
    KeptTasks kept;
    bool needs_all = false;
    std::uint64_t longest_way_us = 0;
};

}  // namespace tmon_detrek
