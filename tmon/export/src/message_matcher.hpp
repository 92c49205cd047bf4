// MessageMatcher: an abstract send and its receive, found while the trace goes by. Node clocks drift, so either may come first.
// First in, first out among messages of the same task, sub-task, direction and neighbours, as LogicalTime has it.
//
// A send or receive whose partner's record was lost would wait for ever. It is given up when the partner cannot come any more.
// That is so when the other node's stream has ended. It is also so when that stream has lost records and a later message of
// these neighbours and this direction was joined. Such messages keep their order. In a trace without losses nothing is given up
// before the end of a stream.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exporter.hpp"

namespace tmon_export {

class MessageMatcher {
public:
    explicit MessageMatcher(std::uint16_t nodes) : nodes_(nodes) {}
    // Takes a send or a receive; other kinds have no match. Memory: 16 bytes for each that still waits. At most most_waiting of
    // two neighbours, one direction and one kind wait; then the older half is given up.
    Match match(const Event& event);
    void lost(std::uint16_t node) { nodes_[node].lossy = true; }
    void ended(std::uint16_t node);
    std::uint64_t matched() const { return matched_; }
    std::uint64_t unmatched() const { return waiting_ + given_up_; }
    std::uint64_t waiting() const { return waiting_; }

    static constexpr std::size_t most_waiting = 1U << 16;

private:
    struct Waiting {
        std::uint64_t what, flow;  // task and sub-task; own number
    };
    struct Link {  // messages of one direction from one node to another
        std::uint16_t from, to;
        std::vector<Waiting> sends, receives;  // in the order of the trace
    };
    struct Node {
        bool lossy = false, ended = false;
    };
    bool has_ended(std::uint16_t node) const { return node >= nodes_.size() || nodes_[node].ended; }
    void wait(std::vector<Waiting>& queue, const Waiting& what);
    void give_up(std::vector<Waiting>& queue, std::size_t count);

    std::vector<Node> nodes_;
    std::unordered_map<std::uint64_t, Link> links_;
    std::uint64_t matched_ = 0, waiting_ = 0, given_up_ = 0;
};

}  // namespace tmon_export
