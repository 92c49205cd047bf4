#include "group_joins.hpp"

#include <algorithm>

#include "causal_clocks.hpp"

namespace tmon_predicates {

using trace_record::Event;

namespace {

bool has_all_of(const Past& one, const Past& other) {
    if (other == nullptr || one == other) return true;
    if (one == nullptr) return false;
    return std::equal(one->begin(), one->end(), other->begin(), [](auto a, auto b) { return a >= b; });
}

bool is_all_to_all(const Event& event) {
    return event.bytes != 0 && event.task == static_cast<std::uint32_t>(trace_record::Collective::AllToAll);
}

// The past with the record at `position` itself.
Past with(const Past& past, std::uint16_t node, std::uint32_t count, std::size_t nodes) {
    auto made =
        past ? std::make_shared<std::vector<std::uint32_t>>(*past) : std::make_shared<std::vector<std::uint32_t>>(nodes);
    (*made)[node] = std::max((*made)[node], count);
    return made;
}

}  // namespace

Past joined_pasts(const Past& a, const Past& b) {
    if (has_all_of(a, b)) return a;
    if (has_all_of(b, a)) return b;
    auto made = std::make_shared<std::vector<std::uint32_t>>(*a);
    std::transform(made->begin(), made->end(), b->begin(), made->begin(), [](auto x, auto y) { return std::max(x, y); });
    return made;
}

// Each node records the members by rank. A list with a gap, or with a node twice, is none.
void GroupJoins::member(const Event& event) {
    Growing& growing = of_node_[event.node][event.task];
    if (event.subtask == 0) {
        if (growing.whole) forget(static_cast<std::uint16_t>(event.task));
        growing = {0, {}, growing.whole};
    }
    if (event.subtask != growing.next) {
        growing = {~std::uint32_t{0}, {}, growing.whole};
        return;
    }
    if (event.peer < of_node_.size()) growing.nodes.push_back(event.peer);  // the host makes no records
    if (++growing.next != event.bytes) return;
    std::vector<std::uint16_t> sorted = std::move(growing.nodes);
    growing.nodes.clear();
    std::sort(sorted.begin(), sorted.end());
    growing.whole = nullptr;
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return;
    Members& newest = newest_[event.task];
    if (newest == nullptr || *newest != sorted) newest = std::make_shared<const std::vector<std::uint16_t>>(std::move(sorted));
    growing.whole = newest;
}

// A group that is made again counts its rounds anew.
void GroupJoins::forget(std::uint16_t group) {
    const auto is_its = [group](const Key& key) { return key.first == group; };
    std::erase_if(order_, is_its);
    std::erase_if(open_, [&](const auto& entry) { return is_its(entry.first); });
}

GroupJoins::Members GroupJoins::members(const Event& event) const {
    const auto& own = of_node_[event.node];
    const auto found = own.find(event.peer);
    if (found != own.end() && found->second.whole) return found->second.whole;
    const auto elsewhere = newest_.find(event.peer);  // all nodes have the same list
    return elsewhere != newest_.end() ? elsewhere->second : nullptr;
}

void GroupJoins::begins(const Event& event, const Position& position) {
    if (!is_all_to_all(event)) return;
    const Key key{event.peer, event.bytes};
    const std::size_t nodes = of_node_.size();
    auto [found, made] = open_.try_emplace(key);
    Open& open = found->second;
    if (made) order_.push_back(key);
    if (made || open.begun[event.node]) open = {{}, {}, std::vector<bool>(nodes), std::vector<bool>(nodes)};
    const bool same = open.past == open.sure && position.past == position.sure;
    open.past = with(joined_pasts(open.past, position.past), event.node, position.count, nodes);
    open.sure = same ? open.past : with(joined_pasts(open.sure, position.sure), event.node, position.count, nodes);
    open.begun[event.node] = true;
    if (open_.size() <= most_open) return;
    open_.erase(order_.front());
    order_.pop_front();
}

std::optional<GroupJoins::Joined> GroupJoins::ends(const Event& event) {
    const auto found = is_all_to_all(event) ? open_.find({event.peer, event.bytes}) : open_.end();
    if (found == open_.end()) return std::nullopt;
    Open& open = found->second;
    const Members all = members(event);
    Joined joined{open.past, open.sure, all != nullptr};
    bool is_member = false;
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        is_member = is_member || (*all)[i] == event.node;
        joined.whole = joined.whole && ((*all)[i] == event.node || open.begun[(*all)[i]]);
    }
    joined.whole = joined.whole && is_member;
    open.ended[event.node] = true;
    if (all != nullptr) is_over(found->first, open, all);
    return joined;
}

void GroupJoins::is_over(const Key& key, const Open& open, const Members& all) {
    for (const std::uint16_t node : *all) {
        if (!open.ended[node]) return;
    }
    std::erase(order_, key);
    open_.erase(Key(key));
}

}  // namespace tmon_predicates
