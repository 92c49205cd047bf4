#include "message_matcher.hpp"

namespace tmon_export {

std::size_t MessageMatcher::Hash::operator()(const Key& key) const {
    std::uint64_t hash = key.what * 0x9E37'79B9'7F4A'7C15ULL ^ (key.places + 0x7F4A'7C15ULL) * 0xC2B2'AE3D'27D4'EB4FULL;
    return static_cast<std::size_t>(hash ^ hash >> 29);
}

Match MessageMatcher::match(const Event& event) {
    const bool send = event.kind == EventKind::Send;
    if (!send && event.kind != EventKind::Receive) return {};
    const std::uint64_t from = send ? event.node : event.peer, to = send ? event.peer : event.node;
    const Key key{from | to << 16 | std::uint64_t{event.is_result} << 32, event.task | std::uint64_t{event.subtask} << 32};
    // Bit 63 keeps 0 free for "none"; bit 62 says that the receive gave the number.
    const std::uint64_t own =
        std::uint64_t{1} << 63 | std::uint64_t{send ? 0U : 1U} << 62 | std::uint64_t{event.node} << 32 | event.seq;
    const auto [place, first] = waiting_of_.try_emplace(key);
    Waiting& waiting = place->second;
    if (first || waiting.kind == event.kind) {
        waiting.kind = event.kind;
        waiting.flows.push_back(own);
        ++waiting_;
        return {.flow = own};
    }
    const std::uint64_t flow = waiting.flows.front();
    waiting.flows.erase(waiting.flows.begin());
    if (waiting.flows.empty()) waiting_of_.erase(place);
    --waiting_;
    ++matched_;
    return {.flow = flow,
            .second = true,
            .node = static_cast<std::uint16_t>(flow >> 32 & 0xFFFF),
            .seq = static_cast<std::uint32_t>(flow)};
}

}  // namespace tmon_export
