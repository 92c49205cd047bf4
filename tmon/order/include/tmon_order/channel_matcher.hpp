// ChannelMatcher: joins messages of the kernel by their names, so that it works on a stream too. The call of a send names its
// message; a Partner names that of the receive directly behind it (docs/decisions/0047). Nothing is guessed: a lost record
// leaves the other end alone.
//
// A node counts its messages, and its records come in order. So a receive whose send has been passed over is given up at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include <trace_record/event.hpp>

namespace tmon_order {

class ChannelMatcher {
public:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    // `most_waiting`: limit of the sends of one node that wait; beyond it the older half is given up. Memory: some 60 bytes for
    // each. Cost: constant for each record, on average; logarithmic for a receive that comes before its send.
    explicit ChannelMatcher(std::size_t nodes, std::size_t most_waiting = no_limit);

    // Takes a record. Those of a node come in their order; nodes may interleave in any way. Returns the numbers of the other
    // ends that came before: at most one, but for the call of a send to a cast. Other ends wait under `number`, which the
    // caller chooses. Messages without a name, and other kinds, have no match and are not counted. Valid until the next call.
    std::span<const std::uint64_t> match(const trace_record::Event& event, std::uint64_t number);
    // The node's stream has ended.
    void ended(std::uint16_t node);

    std::uint64_t matched() const { return matched_; }  // receives joined with their sends
    std::uint64_t unmatched() const { return waiting_ + given_up_; }
    std::uint64_t waiting() const { return waiting_; }

private:
    struct Send {
        std::uint64_t number = 0;  // the caller's
        std::uint16_t to = 0;
        bool joined = false;  // a cast with a receiver: more may come
    };
    struct Receive {
        std::uint64_t number = 0;
        std::uint16_t at = 0;
    };
    struct Node {
        bool ended = false;
        std::uint32_t last = 0;                             // its newest message
        std::unordered_map<std::uint32_t, Send> sends;      // by the message's number
        std::multimap<std::uint32_t, Receive> early;        // receives of messages that are newer
        std::uint32_t partner_seq = 0, partner_number = 0;  // the last Partner of this node; number 0: none
        std::uint16_t partner_sender = 0;
    };

    void send(const trace_record::Event& call, std::uint64_t number);
    void receive(const trace_record::Event& event, std::uint64_t number);
    void give_up_early(Node& node, std::multimap<std::uint32_t, Receive>::iterator end);
    void give_up_older_half(Node& node);

    std::vector<Node> nodes_;
    std::size_t most_waiting_;
    std::vector<std::uint64_t> found_;
    std::uint64_t matched_ = 0, waiting_ = 0, given_up_ = 0;
};

}  // namespace tmon_order
