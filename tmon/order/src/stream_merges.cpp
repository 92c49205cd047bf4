#include <tmon_order/stream_merges.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <vocabulary/contract.hpp>

#include "tournament.hpp"

namespace tmon_order {

using trace_record::Event;

namespace {

constexpr Tournament::Key before_all = -1;  // less than each time

}  // namespace

std::string_view merge_name(MergeKind kind) {
    constexpr std::string_view names[merge_kinds] = {"arrival", "oldest", "wait", "wait+flush+heartbeat"};
    return names[static_cast<std::size_t>(kind)];
}

// A tournament of the nodes: by the time of a node's first record here, or of the earliest one that may still come. A winner
// that has no record here holds the others back.
struct StreamMerge::State {
    struct Stream {
        std::vector<Event> events;
        std::size_t at = 0;                          // those before it are given
        std::uint64_t promised_us = 0, next_us = 0;  // by heartbeats; by all that is known
        bool ended = false;

        bool empty() const { return at == events.size(); }
        // Behind what is here. What is given makes room when it is as much as the rest.
        void add(std::span<const Event> more) {
            if (at >= events.size() - at) {
                events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(at));
                at = 0;
            }
            events.insert(events.end(), more.begin(), more.end());
        }
    };

    State(MergeKind its, std::uint16_t nodes, Report to)
        : kind(its), report(std::move(to)), streams(nodes), tree(nodes, key_of({})) {}

    Tournament::Key key_of(const Stream& stream) const {
        if (!stream.empty()) return static_cast<Tournament::Key>(stream.events[stream.at].time_us);
        if (stream.ended || finishing || kind == MergeKind::Oldest) return Tournament::last;
        return kind == MergeKind::Promise ? static_cast<Tournament::Key>(stream.next_us) : before_all;
    }
    void give(std::uint64_t& held) {
        while (tree.least() != Tournament::last) {
            const std::size_t node = tree.winner();
            Stream& stream = streams[node];
            if (stream.empty()) return;
            const Event event = stream.events[stream.at++];
            stream.next_us = std::max(stream.next_us, event.time_us);
            tree.set(node, key_of(stream));
            --held;
            report(event);
        }
    }

    const MergeKind kind;
    const Report report;
    bool finishing = false;
    std::vector<Stream> streams;
    Tournament tree;
    std::uint64_t moment_us = 0;
};

StreamMerge::StreamMerge(MergeKind kind, std::uint16_t nodes, Report report)
    : state_(std::make_unique<State>(kind, nodes, std::move(report))) {}
StreamMerge::~StreamMerge() = default;

void StreamMerge::records(std::span<const Event> of_one_node) {
    if (of_one_node.empty()) return;
    const std::uint16_t node = of_one_node.front().node;
    EXPECTS(node < state_->streams.size(), "stream_merge.node");
    State::Stream& stream = state_->streams[node];
    if (stream.promised_us > 0) {
        against_heartbeats_ += static_cast<std::uint64_t>(std::count_if(
            of_one_node.begin(), of_one_node.end(), [&](const Event& event) { return event.time_us < stream.promised_us; }));
    }
    if (state_->kind == MergeKind::Arrival) {
        for (const Event& event : of_one_node) state_->report(event);
        return;
    }
    const bool first = stream.empty();
    stream.add(of_one_node);
    held_ += of_one_node.size();
    if (!first) return;
    state_->tree.set(node, state_->key_of(stream));
    if (state_->kind != MergeKind::Oldest) state_->give(held_);
}

void StreamMerge::ended(std::uint16_t node) {
    EXPECTS(node < state_->streams.size(), "stream_merge.ended");
    State::Stream& stream = state_->streams[node];
    stream.ended = true;
    state_->tree.set(node, state_->key_of(stream));
    if (state_->kind != MergeKind::Oldest) state_->give(held_);
}

void StreamMerge::heartbeat(std::uint16_t node, std::uint64_t before_us) {
    EXPECTS(node < state_->streams.size(), "stream_merge.heartbeat");
    State::Stream& stream = state_->streams[node];
    stream.promised_us = std::max(stream.promised_us, before_us);
    if (state_->kind != MergeKind::Promise || before_us <= stream.next_us) return;
    stream.next_us = before_us;
    if (!stream.empty()) return;
    state_->tree.set(node, state_->key_of(stream));
    state_->give(held_);
}

// All records of the moment before are here.
void StreamMerge::moment(std::uint64_t came_us) {
    if (state_->kind == MergeKind::Oldest && came_us != state_->moment_us) state_->give(held_);
    state_->moment_us = came_us;
}

void StreamMerge::finish() {
    State& state = *state_;
    state.finishing = true;
    for (std::size_t node = 0; node < state.streams.size(); ++node) state.tree.set(node, state.key_of(state.streams[node]));
    state.give(held_);
}

}  // namespace tmon_order
