#include "message_matcher.hpp"

#include <algorithm>

namespace tmon_export {

Match MessageMatcher::match(const Event& event) {
    const bool send = event.kind == EventKind::Send;
    if (!send && event.kind != EventKind::Receive) return {};
    const std::uint16_t from = send ? event.node : event.peer, to = send ? event.peer : event.node;
    Link& link =
        links_.try_emplace(from | std::uint64_t{to} << 16 | std::uint64_t{event.is_result} << 32, Link{from, to, {}, {}})
            .first->second;
    auto& others = send ? link.receives : link.sends;
    const std::uint64_t what = event.task | std::uint64_t{event.subtask} << 32;
    const auto found = std::find_if(others.begin(), others.end(), [&](const Waiting& one) { return one.what == what; });
    if (found == others.end()) {
        // Bit 63 keeps 0 free for "none"; bit 62 says that the receive gave the number.
        const std::uint64_t own =
            std::uint64_t{1} << 63 | std::uint64_t{send ? 0U : 1U} << 62 | std::uint64_t{event.node} << 32 | event.seq;
        if (has_ended(event.peer)) {
            ++given_up_;
        } else {
            wait(send ? link.sends : link.receives, {what, own});
        }
        return {.flow = own};
    }
    const std::uint64_t flow = found->flow;
    const auto overtaken = static_cast<std::size_t>(found - others.begin());
    others.erase(found);
    --waiting_;
    ++matched_;
    if (nodes_[event.node].lossy) give_up(others, overtaken);
    return {.flow = flow,
            .second = true,
            .node = static_cast<std::uint16_t>(flow >> 32 & 0xFFFF),
            .seq = static_cast<std::uint32_t>(flow)};
}

void MessageMatcher::wait(std::vector<Waiting>& queue, const Waiting& what) {
    if (queue.size() == most_waiting) give_up(queue, most_waiting / 2);
    queue.push_back(what);
    ++waiting_;
}

void MessageMatcher::give_up(std::vector<Waiting>& queue, std::size_t count) {
    queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(count));
    waiting_ -= count;
    given_up_ += count;
}

void MessageMatcher::ended(std::uint16_t node) {
    nodes_[node].ended = true;
    for (auto& [key, link] : links_) {
        if (link.to == node) give_up(link.sends, link.sends.size());
        if (link.from == node) give_up(link.receives, link.receives.size());
    }
}

}  // namespace tmon_export
