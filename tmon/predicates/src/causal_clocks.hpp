// CausalClocks: which records of each node a record follows from, kept for the newest record of each node and for sends under
// way. Records come in causal order.
//
// There are two pasts. `past` has all messages that the sorter joined. `sure` has messages of the kernel and collectives alone.
// A task's send is recorded when it has left. So other processes of its node may have made the records before it after the
// receive. And of two equal tasks the wrong one may have been joined where records are lost. So `sure` never says too much.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tmon_order/trace_sorter.hpp>
#include <tmon_predicates/predicate_watch.hpp>

#include "group_joins.hpp"

namespace tmon_predicates {

// A moment of a node: behind its first `count` records.
struct Position {
    std::uint16_t node = 0;
    std::uint32_t count = 0;
    Past past, sure;

    std::uint32_t up_to(std::uint16_t of) const { return of == node ? count : past ? (*past)[of] : 0; }
    std::uint32_t surely_up_to(std::uint16_t of) const { return of == node ? count : sure ? (*sure)[of] : 0; }
    void join_into(Cut& cut) const {
        for (std::uint16_t of = 0; of < cut.size(); ++of) cut[of] = std::max(cut[of], up_to(of));
    }
};

class CausalClocks {
public:
    explicit CausalClocks(std::uint16_t nodes)
        : nodes_(nodes),
          groups_(nodes),
          most_vectors_(most_bytes / (sizeof(std::uint32_t) * std::max<std::size_t>(nodes, 1))) {}

    // Not for late records.
    void record(const tmon_order::SortedRecord& order, const trace_record::Event& event);
    void lost(const trace_record::LossRange& loss);

    Position now(std::uint16_t node) const;
    // The same with the sure past alone.
    Position surely_now(std::uint16_t node) const;
    // The first node and record within the cut whose causes are not all known, in words; empty: all are known.
    std::string doubt(const Cut& cut) const;
    std::size_t kept() const { return sends_.size(); }
    // True when some order rests on tasks: then the sure past is not all of it.
    bool joins_tasks() const { return joins_tasks_; }

private:
    static constexpr std::size_t most_bytes = 32U << 20;  // of the vectors of sends
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    struct Node {
        std::uint32_t count = 0;
        Past past, sure;
        std::uint32_t unclear = none;  // the first record that may have causes which nobody knows
        bool unclear_by_loss = false;
    };
    struct Send {
        Position position;
        bool cast = false;
        std::uint64_t number = 0;  // in the order of insertion
    };

    static std::uint64_t key(tmon_order::RecordId id) { return std::uint64_t{id.stream} << 40 | id.number; }
    void follow(Node& node, std::uint16_t own, const Send& send, bool sure) const;
    // False: not all that it follows from is known.
    bool follow_group(Node& node, const trace_record::Event& event);
    void keep_send(std::uint64_t key, Send send);
    void forget_send(std::unordered_map<std::uint64_t, Send>::iterator send);
    // Counts a vector that a kept send has, once more or once less.
    void count_vector(const Past& past, int change);
    void count_vectors(const Position& position, int change);
    void note_unclear(Node& node, std::uint32_t number, bool by_loss) const;

    std::vector<Node> nodes_;
    std::unordered_map<std::uint64_t, Send> sends_;  // never walked through
    std::deque<std::pair<std::uint64_t, std::uint64_t>>
        order_;  // (number, key), the oldest first; may name those that are gone
    std::uint64_t next_ = 0;
    GroupJoins groups_;
    const std::size_t most_vectors_;
    std::unordered_map<const void*, std::uint32_t> vectors_;  // sends that have each; only where the vectors are the limit
    bool joins_tasks_ = false;
};

}  // namespace tmon_predicates
