#include <tmon_order/channel_matcher.hpp>

#include <algorithm>

namespace tmon_order {

using trace_record::Event;
using trace_record::EventKind;

namespace {

bool is_cast(std::uint16_t destination) {
    return destination >= trace_record::first_cast;
}

}  // namespace

ChannelMatcher::ChannelMatcher(std::size_t nodes, std::size_t most_waiting) : nodes_(nodes), most_waiting_(most_waiting) {}

std::span<const std::uint64_t> ChannelMatcher::match(const Event& event, std::uint64_t number) {
    found_.clear();
    if (event.node >= nodes_.size()) return found_;
    if (event.kind == EventKind::Partner) {
        Node& node = nodes_[event.node];
        node.partner_seq = event.seq;
        node.partner_number = event.task;
        node.partner_sender = event.peer;
    } else if (event.kind == EventKind::SendCall) {
        send(event, number);
    } else if (event.kind == EventKind::MessageReceive) {
        receive(event, number);
    }
    matched_ += found_.size();
    return found_;
}

void ChannelMatcher::send(const Event& call, std::uint64_t number) {
    Node& sender = nodes_[call.node];
    const std::uint32_t message = call.bytes;
    if (message == 0) return;
    sender.last = std::max(sender.last, message);
    give_up_early(sender, sender.early.lower_bound(message));
    const auto [first, end] = sender.early.equal_range(message);
    for (auto at = first; at != end; ++at) {
        --waiting_;
        const bool meant = is_cast(call.peer) || (at->second.at == call.peer && found_.empty());
        if (meant) found_.push_back(at->second.number);
        if (!meant) ++given_up_;
    }
    sender.early.erase(first, end);
    if (is_cast(call.peer) || found_.empty()) {
        const bool too_late = !is_cast(call.peer) && (call.peer >= nodes_.size() || nodes_[call.peer].ended);
        if (too_late) {
            ++given_up_;
            return;
        }
        if (sender.sends.size() >= most_waiting_) give_up_older_half(sender);
        sender.sends[message] = {number, call.peer, !found_.empty()};
        waiting_ += found_.empty() ? 1 : 0;
    }
}

void ChannelMatcher::receive(const Event& event, std::uint64_t number) {
    Node& here = nodes_[event.node];
    const std::uint32_t message = here.partner_seq + 1 == event.seq ? here.partner_number : 0;
    here.partner_number = 0;
    if (message == 0) return;
    if (here.partner_sender >= nodes_.size()) {
        ++given_up_;
        return;
    }
    Node& sender = nodes_[here.partner_sender];
    if (message > sender.last && !sender.ended) {
        sender.early.emplace(message, Receive{number, event.node});
        ++waiting_;
        return;
    }
    const auto found = sender.sends.find(message);
    const bool is_its = found != sender.sends.end() && (is_cast(found->second.to) || found->second.to == event.node);
    if (!is_its) {
        ++given_up_;
        return;
    }
    found_.push_back(found->second.number);
    if (!found->second.joined) --waiting_;
    found->second.joined = true;
    if (!is_cast(found->second.to)) sender.sends.erase(found);
}

void ChannelMatcher::ended(std::uint16_t node) {
    nodes_[node].ended = true;
    give_up_early(nodes_[node], nodes_[node].early.end());
}

void ChannelMatcher::give_up_early(Node& node, std::multimap<std::uint32_t, Receive>::iterator end) {
    const auto count = static_cast<std::uint64_t>(std::distance(node.early.begin(), end));
    node.early.erase(node.early.begin(), end);
    waiting_ -= count;
    given_up_ += count;
}

void ChannelMatcher::give_up_older_half(Node& node) {
    std::vector<std::uint32_t> messages;
    for (const auto& [message, send] : node.sends) messages.push_back(message);
    const auto middle = messages.begin() + static_cast<std::ptrdiff_t>((messages.size() + 1) / 2);
    std::nth_element(messages.begin(), middle, messages.end());
    for (auto at = messages.begin(); at != middle; ++at) {
        const auto found = node.sends.find(*at);
        if (!found->second.joined) {
            --waiting_;
            ++given_up_;
        }
        node.sends.erase(found);
    }
}

}  // namespace tmon_order
