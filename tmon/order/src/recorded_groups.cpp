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
    Growing& growing = of_node_[event.node][event.task];
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

// All nodes have the same list; a list with a node twice is none.
std::shared_ptr<const Group> RecordedGroups::shared(std::uint32_t id, Group group) {
    std::shared_ptr<const Group>& newest = newest_[id];
    if (newest != nullptr && *newest == group) return newest;
    Group sorted = group;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return nullptr;
    return newest = std::make_shared<const Group>(std::move(group));
}

void RecordedGroups::operation(const Event& event, std::vector<End>& ends) const {
    const auto& groups = of_node_[event.node];
    const auto known = groups.find(event.peer);
    std::shared_ptr<const Group> whole = known != groups.end() ? known->second.whole : nullptr;
    if (whole == nullptr) {  // a member is lost here; the other nodes have the same list
        const auto elsewhere = newest_.find(event.peer);
        if (elsewhere != newest_.end()) whole = elsewhere->second;
    }
    if (whole == nullptr || event.bytes == 0) return;
    // Operations that Magicwire's own programs do not make have no rule here.
    if (event.task != static_cast<std::uint32_t>(trace_record::Collective::AllToAll)) return;
    const Group& group = *whole;
    const auto place = std::find(group.begin(), group.end(), event.node);
    if (place == group.end()) return;
    CollectiveRecord record{.operation = Operation::AllToAll, .group_id = event.peer, .group = whole};
    record.instance = event.bytes - 1;
    record.rank = static_cast<std::uint32_t>(place - group.begin());
    record.end = event.kind == EventKind::CollectiveEnd;
    record.may_be_unrecorded = true;  // class `message` may have been off
    for (End& end : ends_of(record)) ends.push_back(std::move(end));
}

}  // namespace tmon_order
