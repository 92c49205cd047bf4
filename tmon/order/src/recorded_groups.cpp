#include "recorded_groups.hpp"

#include <algorithm>
#include <utility>

#include <tmon_order/collectives.hpp>

namespace tmon_order {

using trace_record::Event;
using trace_record::EventKind;

namespace {

constexpr std::uint32_t most_members = 0xFFFF;  // node numbers

}  // namespace

void RecordedGroups::member(const Event& event) {
    Growing& growing = of_node_[event.node].groups[event.task];
    // A list that is whole stays until the next one is. A part of one is none.
    if (event.subtask == 0) growing.begin_anew();
    if (event.subtask != growing.next || event.bytes > most_members || (growing.next > 0 && event.bytes != growing.size)) {
        growing.begin_anew();
        return;
    }
    growing.size = event.bytes;
    // The host makes no records.
    if (event.peer < of_node_.size()) growing.nodes.push_back(event.peer);
    if (++growing.next == growing.size) growing.whole = shared(event.task, std::exchange(growing.nodes, {}));
}

// A list with a node twice is none.
RecordedGroups::Known RecordedGroups::shared(std::uint32_t id, Group group) {
    Group sorted = group;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return {};
    const auto [list, fresh] = lists_.try_emplace({id, std::move(group)});
    if (fresh) list->second = {std::make_shared<const Group>(list->first.second), numbers_++};
    newest_[id] = &list->second;
    return list->second;
}

// A member is lost here. The list that another node has in the first pass counts in the later ones, too.
const RecordedGroups::Known* RecordedGroups::elsewhere(const Event& event) {
    OfNode& node = of_node_[event.node];
    if (again_) {
        while (node.again < node.borrowed.size() && node.borrowed[node.again].seq < event.seq) ++node.again;
        const bool known = node.again < node.borrowed.size() && node.borrowed[node.again].seq == event.seq;
        return known ? node.borrowed[node.again].list : nullptr;
    }
    const auto newest = newest_.find(event.peer);
    if (newest == newest_.end()) return nullptr;
    if (come_again_) node.borrowed.push_back({event.seq, newest->second});
    return newest->second;
}

void RecordedGroups::begin_again() {
    again_ = true;
    for (OfNode& node : of_node_) {
        node.groups.clear();
        node.again = 0;
    }
}

void RecordedGroups::operation(const Event& event, std::vector<End>& ends) {
    const auto& groups = of_node_[event.node].groups;
    const auto own = groups.find(event.peer);
    const Known* known = own != groups.end() && own->second.whole.members != nullptr ? &own->second.whole : elsewhere(event);
    if (known == nullptr || event.bytes == 0) return;
    const std::shared_ptr<const Group>& whole = known->members;
    // Operations that Magicwire's own programs do not make have no rule here.
    if (event.task != static_cast<std::uint32_t>(trace_record::Collective::AllToAll)) return;
    const Group& group = *whole;
    const auto place = std::find(group.begin(), group.end(), event.node);
    if (place == group.end()) return;
    CollectiveRecord record{.operation = Operation::AllToAll, .group_id = known->number, .group = whole};
    record.instance = event.bytes - 1;
    record.rank = static_cast<std::uint32_t>(place - group.begin());
    record.end = event.kind == EventKind::CollectiveEnd;
    record.may_be_unrecorded = true;  // class `message` may have been off
    for (End& end : ends_of(record)) ends.push_back(std::move(end));
}

}  // namespace tmon_order
