// GroupJoins: what the ends of collective operations follow from. Each beginning of one precedes each end of it. So all ends
// have one past: the beginnings with all that those follow from.
//
// It reads the records of groups alone, in causal order. Memory: two vectors for each operation under way, at most `most_open`.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <trace_record/event.hpp>

namespace tmon_predicates {

struct Position;
// By node: the number of its records that are in the past. Null: none. The own node's entry is not used.
using Past = std::shared_ptr<const std::vector<std::uint32_t>>;

// Those of both; either may be null. One that has all of the other is returned itself.
Past joined_pasts(const Past& a, const Past& b);

class GroupJoins {
public:
    static constexpr std::size_t most_open = 256;

    explicit GroupJoins(std::uint16_t nodes) : of_node_(nodes) {}

    void member(const trace_record::Event& event);
    // `position`: behind the record.
    void begins(const trace_record::Event& event, const Position& position);
    struct Joined {
        Past past, sure;
        bool whole = false;  // the beginnings of all other members are here
    };
    // Empty: no beginning is known, or the operation has no such order.
    std::optional<Joined> ends(const trace_record::Event& event);

private:
    using Key = std::pair<std::uint16_t, std::uint32_t>;  // group, round
    using Members = std::shared_ptr<const std::vector<std::uint16_t>>;
    struct Growing {
        std::uint32_t next = 0;
        std::vector<std::uint16_t> nodes{};
        Members whole{};
    };
    struct Open {
        Past past, sure;
        std::vector<bool> begun{}, ended{};  // by node
    };
    Members members(const trace_record::Event& event) const;
    void forget(std::uint16_t group);
    void is_over(const Key& key, const Open& open, const Members& all);

    std::vector<std::map<std::uint32_t, Growing>> of_node_;
    std::map<std::uint32_t, Members> newest_;  // by group
    std::map<Key, Open> open_;
    std::deque<Key> order_;  // of the operations that are open, the oldest first
};

}  // namespace tmon_predicates
