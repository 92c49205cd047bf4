// MessageMatcher: joins each abstract send with its receive, in any order of arrival, so that it works on a stream too.
// Messages of the same task, sub-task, direction and neighbours are joined first in, first out: neighbours keep their order
// (thesis, Lin 1993, section 5.4.1).
//
// An end whose partner's record was lost would wait for ever. It is discarded when the other node's stream ends. It is also
// discarded when that stream has lost records and a later message of the same neighbours and direction is joined. Without
// losses nothing is discarded before a stream ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include <trace_record/event.hpp>

namespace tmon_order {

class MessageMatcher {
public:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    // `most_waiting`: limit of waiting ends for two neighbours, one direction and one kind; beyond it the older half is
    // discarded. Memory: about 80 bytes for each waiting end. Cost: constant for each event.
    explicit MessageMatcher(std::size_t nodes, std::size_t most_waiting = no_limit);

    // Takes a send or a receive; other kinds have no match. Returns the number of the other end if that came before. Else the
    // event waits under `number`, which the caller chooses.
    std::optional<std::uint64_t> match(const trace_record::Event& event, std::uint64_t number);
    void lost(std::uint16_t node) { nodes_[node].lossy = true; }
    void ended(std::uint16_t node);

    std::uint64_t matched() const { return matched_; }
    std::uint64_t unmatched() const { return waiting_ + given_up_; }
    std::uint64_t waiting() const { return waiting_; }

private:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    struct Key {
        std::uint64_t places = 0;  // from, to, direction, kind
        std::uint64_t what = 0;    // task, sub-task
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Waiting {
        std::uint64_t number, what;
        std::uint32_t before, after;  // on its link, in the order of arrival; `after` also chains the free entries
        std::uint32_t next;           // of the same key
    };
    struct Queue {
        std::uint64_t places = 0;
        std::uint32_t first = none, last = none;
        std::size_t count = 0;
    };
    struct Link {  // messages of one direction from one node to another
        std::uint16_t from, to;
        Queue sends, receives;
    };
    struct Slot {
        Key key;
        std::uint32_t first = none, last = none;  // `last` none: never used. `first` none: nothing of this key waits
    };
    struct Node {
        bool lossy = false, ended = false;
    };

    Link& link_of(const trace_record::Event& event);
    bool has_ended(std::uint16_t node) const { return node >= nodes_.size() || nodes_[node].ended; }
    Slot& slot_of(const Key& key);
    void make_room();
    void wait(Queue& queue, std::uint64_t what, std::uint64_t number);
    void remove(Queue& queue, std::uint32_t place);
    void give_up(Queue& queue, std::uint32_t end);
    void give_up_oldest(Queue& queue, std::size_t count);

    std::vector<Node> nodes_;
    std::size_t most_waiting_;
    std::unordered_map<std::uint64_t, Link> links_;
    std::vector<Slot> slots_;  // open addressing; its size is a power of two
    std::size_t used_slots_ = 0;
    std::vector<Waiting> pool_;
    std::uint32_t free_ = none;
    std::uint64_t matched_ = 0, waiting_ = 0, given_up_ = 0;
};

}  // namespace tmon_order
