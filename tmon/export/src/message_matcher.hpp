// MessageMatcher: an abstract send and its receive, found while the trace goes by. Node clocks drift, so either may come first.
// First in, first out among messages of the same task, sub-task, direction and neighbours, as LogicalTime has it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exporter.hpp"

namespace tmon_export {

class MessageMatcher {
public:
    // Of a send or a receive; other kinds have no match. Memory: those that still wait for the other.
    Match match(const Event& event);
    std::uint64_t matched() const { return matched_; }
    std::uint64_t unmatched() const { return waiting_; }

private:
    struct Key {
        std::uint64_t places, what;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Waiting {
        EventKind kind = EventKind::Send;
        std::vector<std::uint64_t> flows;  // nearly always one
    };
    std::unordered_map<Key, Waiting, Hash> waiting_of_;
    std::uint64_t matched_ = 0, waiting_ = 0;
};

}  // namespace tmon_export
