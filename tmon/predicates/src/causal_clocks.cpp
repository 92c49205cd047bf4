#include "causal_clocks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <tmon_order/order_rules.hpp>

namespace tmon_predicates {

using trace_record::EventKind;

namespace {

// The past of a receive: its node's so far, and the send with what that follows from.
Past joined(const Past& own, const Position& send, const Past& of_send, std::size_t nodes) {
    const std::uint32_t known = own ? (*own)[send.node] : 0;
    if (known >= send.count) return own;
    auto made = own ? std::make_shared<std::vector<std::uint32_t>>(*own) : std::make_shared<std::vector<std::uint32_t>>(nodes);
    if (of_send)
        std::transform(made->begin(), made->end(), of_send->begin(), made->begin(),
                       [](auto a, auto b) { return std::max(a, b); });
    (*made)[send.node] = send.count;
    return made;
}

bool is_receive(EventKind kind) {
    return kind == EventKind::Receive || kind == EventKind::MessageReceive;
}

}  // namespace

void CausalClocks::follow(Node& node, std::uint16_t own, const Send& send, bool sure) const {
    const bool same = node.past == node.sure && send.position.past == send.position.sure;
    if (send.position.node == own) return;
    node.past = joined(node.past, send.position, send.position.past, nodes_.size());
    if (!sure) return;
    node.sure = same ? node.past : joined(node.sure, send.position, send.position.sure, nodes_.size());
}

bool CausalClocks::follow_group(Node& node, const trace_record::Event& event) {
    const auto joined = groups_.ends(event);
    if (!joined) return false;
    const bool same = node.past == node.sure && joined->past == joined->sure;
    node.past = joined_pasts(node.past, joined->past);
    node.sure = same ? node.past : joined_pasts(node.sure, joined->sure);
    return joined->whole;
}

void CausalClocks::note_unclear(Node& node, std::uint32_t number, bool by_loss) const {
    if (node.unclear != none) return;
    node.unclear = number;
    node.unclear_by_loss = by_loss;
}

void CausalClocks::record(const tmon_order::SortedRecord& order, const trace_record::Event& event) {
    const auto own = static_cast<std::uint16_t>(order.id.stream);
    Node& node = nodes_[own];
    const auto number = static_cast<std::uint32_t>(order.id.number);
    if (event.kind == EventKind::Member) groups_.member(event);
    if (event.kind == EventKind::CollectiveEnd) {
        if (!follow_group(node, event) || order.assumed != tmon_order::Assumed::Nothing) note_unclear(node, number, false);
        node.count = number + 1;
        return;
    }
    const auto send = order.source ? sends_.find(key(order.source->id)) : sends_.end();
    if (send != sends_.end()) {
        follow(node, own, send->second, event.kind == EventKind::MessageReceive);
        joins_tasks_ = joins_tasks_ || event.kind == EventKind::Receive;
        if (!send->second.cast) forget_send(send);
    } else if (is_receive(event.kind) || order.assumed != tmon_order::Assumed::Nothing) {
        note_unclear(node, number, false);
    }
    node.count = number + 1;
    if (event.kind == EventKind::CollectiveBegin) groups_.begins(event, now(own));
    const bool of_task = event.kind == EventKind::Send, of_program = event.kind == EventKind::SendCall && event.bytes != 0;
    const bool cast = of_program && event.peer >= trace_record::first_cast;
    if (cast || ((of_task || of_program) && event.peer < nodes_.size())) keep_send(key(order.id), {now(own), cast, next_++});
}

void CausalClocks::lost(const trace_record::LossRange& loss) {
    Node& node = nodes_[loss.node];
    node.count = loss.last_seq + 1;
    if (tmon_order::may_hold_ends(loss)) note_unclear(node, loss.first_seq, true);
}

void CausalClocks::count_vector(const Past& past, int change) {
    if (past == nullptr) return;
    const auto found = vectors_.try_emplace(past.get(), 0).first;
    found->second += static_cast<std::uint32_t>(change);
    if (found->second == 0) vectors_.erase(found);
}

// Up to so many nodes the number of sends is the limit.
void CausalClocks::count_vectors(const Position& position, int change) {
    if (2 * PredicateWatch::most_sends <= most_vectors_) return;
    count_vector(position.past, change);
    if (position.sure != position.past) count_vector(position.sure, change);
}

void CausalClocks::forget_send(std::unordered_map<std::uint64_t, Send>::iterator send) {
    count_vectors(send->second.position, -1);
    sends_.erase(send);
}

// Sends whose receive never comes would stay. Beyond the limit the oldest half goes; a receive of one is then unclear.
void CausalClocks::keep_send(std::uint64_t key, Send send) {
    order_.emplace_back(send.number, key);
    count_vectors(send.position, 1);
    const auto [kept, is_new] = sends_.try_emplace(key, std::move(send));
    if (!is_new) {
        count_vectors(kept->second.position, -1);
        kept->second = std::move(send);
    }
    const auto is_gone = [this](const auto& entry) {
        const auto found = sends_.find(entry.second);
        return found == sends_.end() || found->second.number != entry.first;
    };
    if (order_.size() > 2 * sends_.size() + 1024) std::erase_if(order_, is_gone);
    if (sends_.size() <= PredicateWatch::most_sends && vectors_.size() <= most_vectors_) return;
    const std::size_t left = sends_.size() / 2;
    while (sends_.size() > left || vectors_.size() > most_vectors_) {
        if (!is_gone(order_.front())) forget_send(sends_.find(order_.front().second));
        order_.pop_front();
    }
}

Position CausalClocks::now(std::uint16_t node) const {
    const Node& its = nodes_[node];
    return {node, its.count, its.past, its.sure};
}

Position CausalClocks::surely_now(std::uint16_t node) const {
    const Node& its = nodes_[node];
    return {node, its.count, its.sure, its.sure};
}

std::string CausalClocks::doubt(const Cut& cut) const {
    for (std::uint16_t node = 0; node < nodes_.size(); ++node) {
        const Node& its = nodes_[node];
        if (its.unclear >= cut[node]) continue;
        if (its.unclear_by_loss)
            return fmt::format("n{} lost records from n{}:{} on, which may have had causes", node, node, its.unclear);
        return fmt::format("the send that belongs to n{}:{} is not known", node, its.unclear);
    }
    return {};
}

}  // namespace tmon_predicates
