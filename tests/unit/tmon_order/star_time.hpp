// StarTime: short time stamps for messages over synchronous links (the question of thesis, Lin 1993, section 7.2.2). The tests
// show what they can do, and where real records have none: docs/decisions/0043-short-stamps.md has the proof and the
// counter-example. So no analysis uses them.
//
// A message over a synchronous link is one point in time for both ends. So all messages of one node form a chain. Let C be
// nodes such that each message was recorded by one of them. Then one count for each node of C is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_order/logical_time.hpp>

namespace tmon_order {

class StarTime {
public:
    // Empty when the records have no order in which every message is one point (a crown). Records are made after a message,
    // so a node may write two of them the other way round. The trace holds task events only: see task_view(). It need not
    // outlive the result. Cost: one replay; a stamp for each message.
    static std::optional<StarTime> of(const tmon_streams::Trace& trace);

    std::size_t entries() const { return chain_nodes_.size(); }
    const std::vector<std::uint16_t>& chain_nodes() const { return chain_nodes_; }  // C, ascending
    // By chain: the messages up to this event's, which is counted too.
    VectorStamp stamp(EventRef event) const;
    // True when a's message came before b's. False for the two ends of one message.
    bool happens_before(EventRef a, EventRef b) const;

private:
    class Replay;
    StarTime() = default;

    std::vector<std::uint16_t> chain_nodes_;
    std::vector<std::vector<std::uint32_t>> message_;  // by node and event index
    std::vector<std::uint32_t> chain_;                 // by message
    std::vector<std::uint32_t> stamps_;                // entries() counts a message
};

}  // namespace tmon_order
