// StreamStates: how each node's stream stands at the host, from what has come and from what somebody has said. Nothing else is
// concluded. A silent stream is suspect after the user's time, and no more than that. It has crashed when somebody says so.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tmon_order {

enum class StreamState : std::uint8_t {
    Active,    // it has sent records, or nothing yet
    Idle,      // its newest message was a heartbeat: it had no record then
    Suspect,   // no message for longer than the user's time
    Finished,  // its end mark has come, and all of its records came or are lost
    Crashed,   // somebody says so
};
std::string_view state_name(StreamState state);  // "active"

enum class CrashWord : std::uint8_t { Kernel, Neighbour, Person };
std::string_view word_name(CrashWord word);  // "kernel", "neighbour", "person"

struct StreamStanding {
    StreamState state = StreamState::Active;
    std::uint64_t records = 0;                                          // that came
    std::uint64_t lost = 0, ranges = 0;                                 // records that are known to be lost, in so many ranges
    std::uint64_t late = 0;                                             // records that came when their place was given away
    std::deque<std::pair<std::uint64_t, std::uint64_t>> newest_lost{};  // the last eight of the ranges: first, last
    std::optional<std::uint64_t> heard_us{};                            // the host's clock at its newest message
    std::optional<CrashWord> said_by{};                                 // Crashed
};

class StreamStates {
public:
    // Nodes 0 ... nodes - 1. `suspect_after_us`: 0 for never. Memory: some 200 bytes a node.
    StreamStates(std::uint16_t nodes, std::uint64_t suspect_after_us) : nodes_(nodes), suspect_after_us_(suspect_after_us) {}

    // The host's clock of what follows; it does not go back.
    void moment(std::uint64_t now_us);
    std::uint64_t now_us() const { return now_us_; }
    // Messages of the node. EXPECTS a node that exists, as all that follow.
    void records(std::uint16_t node, std::uint64_t count);
    void heartbeat(std::uint16_t node);
    void report(std::uint16_t node);  // of a loss, or its end mark
    // Knowledge about it, whoever has it.
    void lost(std::uint16_t node, std::uint64_t first, std::uint64_t last);
    void late(std::uint16_t node);
    void found(std::uint16_t node);  // a record that was called lost has come
    void finished(std::uint16_t node);
    void crashed(std::uint16_t node, CrashWord word);

    // At the moment. Cost of standing(): a copy of the ranges.
    StreamState state(std::uint16_t node) const;
    StreamStanding standing(std::uint16_t node) const;
    std::size_t size() const { return nodes_.size(); }

private:
    StreamStanding& at(std::uint16_t node);
    StreamStanding& heard(std::uint16_t node);

    std::vector<StreamStanding> nodes_;
    std::uint64_t suspect_after_us_, now_us_ = 0, began_us_ = 0;
    bool began_ = false;
};

}  // namespace tmon_order
