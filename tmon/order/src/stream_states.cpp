#include <tmon_order/stream_states.hpp>

#include <algorithm>

#include <vocabulary/contract.hpp>

namespace tmon_order {

namespace {

constexpr std::size_t most_ranges = 8;

}  // namespace

std::string_view state_name(StreamState state) {
    constexpr std::string_view names[] = {"active", "idle", "suspect", "finished", "crashed"};
    return names[static_cast<std::size_t>(state)];
}

std::string_view word_name(CrashWord word) {
    constexpr std::string_view names[] = {"kernel", "neighbour", "person"};
    return names[static_cast<std::size_t>(word)];
}

void StreamStates::moment(std::uint64_t now_us) {
    if (!began_) began_us_ = now_us;
    began_ = true;
    now_us_ = std::max(now_us_, now_us);
}

StreamStanding& StreamStates::at(std::uint16_t node) {
    EXPECTS(node < nodes_.size(), "stream_states.node");
    return nodes_[node];
}

StreamStanding& StreamStates::heard(std::uint16_t node) {
    StreamStanding& of = at(node);
    of.heard_us = now_us_;
    return of;
}

void StreamStates::records(std::uint16_t node, std::uint64_t count) {
    StreamStanding& of = heard(node);
    of.records += count;
    if (of.state == StreamState::Idle) of.state = StreamState::Active;
}

void StreamStates::heartbeat(std::uint16_t node) {
    StreamStanding& of = heard(node);
    if (of.state == StreamState::Active) of.state = StreamState::Idle;
}

void StreamStates::report(std::uint16_t node) {
    heard(node);
}

void StreamStates::lost(std::uint16_t node, std::uint64_t first, std::uint64_t last) {
    StreamStanding& of = at(node);
    of.lost += last - first + 1;
    if (!of.newest_lost.empty() && of.newest_lost.back().second + 1 == first) {
        of.newest_lost.back().second = last;
        return;
    }
    ++of.ranges;
    of.newest_lost.emplace_back(first, last);
    if (of.newest_lost.size() > most_ranges) of.newest_lost.pop_front();
}

void StreamStates::late(std::uint16_t node) {
    ++at(node).late;
}

void StreamStates::found(std::uint16_t node) {
    --at(node).lost;
}

// The word of somebody about a stream stays, even if its end mark comes.
void StreamStates::finished(std::uint16_t node) {
    StreamStanding& of = at(node);
    if (of.state != StreamState::Crashed) of.state = StreamState::Finished;
}

void StreamStates::crashed(std::uint16_t node, CrashWord word) {
    StreamStanding& of = at(node);
    if (of.state == StreamState::Finished) return;  // it lived to its end
    of.state = StreamState::Crashed;
    of.said_by = word;
}

StreamState StreamStates::state(std::uint16_t node) const {
    EXPECTS(node < nodes_.size(), "stream_states.state");
    const StreamStanding& of = nodes_[node];
    const bool open = of.state == StreamState::Active || of.state == StreamState::Idle;
    const std::uint64_t silent_us = now_us_ - of.heard_us.value_or(began_us_);
    return open && suspect_after_us_ > 0 && silent_us > suspect_after_us_ ? StreamState::Suspect : of.state;
}

StreamStanding StreamStates::standing(std::uint16_t node) const {
    const StreamState now = state(node);
    StreamStanding of = nodes_[node];
    of.state = now;
    return of;
}

}  // namespace tmon_order
