// Lost records that follow from others. Links are synchronous, so a message that one end recorded was also seen by the other.
// Every node knows how many records it lost. Often as many lost events of a node follow from its neighbours' records. Then
// these are the lost records, in every history that agrees with the rest, and the node's losses hide nothing. Private:
// verdict.cpp uses it.
//
// Their order remains open where two of them are in one range. So no rule that needs the order on such a node may be used
// (Completion::filled).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

struct Completion {
    tmon_streams::Trace trace;          // with the records that follow; the losses of their nodes are gone
    std::vector<std::uint32_t> filled;  // by node: number of these records
};

// True when some node that gave its end mark lost records, nothing was dropped or contradicts, and no task moves twice over an
// edge.
bool has_told_losses(const tmon_streams::Trace& trace, const EventGraphs& graphs);
// The same, and nothing else could hide an event: the farm stood still, and end marks crossed the tree's links.
bool losses_may_be_told(const tmon_streams::Trace& trace, const EventGraphs& graphs);

// Empty when there are no losses, or no node's losses can be told. tasks: a task_view(). Nodes that lost more than follows, and
// nodes without an end mark, stay as they are. So does a node whose last send to a silent child may be among the lost records.
// It asks that the farm stood still: else a message of the last moments may have no record at its other end. End marks must
// have crossed the tree's links. Nothing may be dropped or contradict, and no task may move twice over an edge (work stealing,
// survival). Cost: the edges of every task, once; only with losses.
std::optional<Completion> complete(const tmon_streams::Trace& tasks, const EventGraphs& graphs);

}  // namespace tmon_detrek
