// RecordedGroups: the groups whose members are recorded, and the ends of their operations. Each node records the members of a
// group by rank, before its first operation. So the partners of a record follow from it and those before it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <tmon_order/communication.hpp>
#include <trace_record/event.hpp>

namespace tmon_order {

class RecordedGroups {
public:
    explicit RecordedGroups(std::uint16_t nodes) : of_node_(nodes) {}

    // Records of one node come in the order of their numbers. Where a node has lost a member, the list of another node counts.
    // Until one is known, operations have no ends. Memory: a list for each group of each node while it grows, then one for all
    // nodes.
    void member(const trace_record::Event& event);
    void operation(const trace_record::Event& event, std::vector<End>& ends) const;

private:
    struct Growing {
        std::uint32_t next = 0, size = 0;  // rank, members
        Group nodes;
        std::shared_ptr<const Group> whole;  // members that have streams

        void begin_anew() {
            next = size = 0;
            nodes.clear();
        }
    };
    std::shared_ptr<const Group> shared(std::uint32_t id, Group group);

    std::vector<std::map<std::uint32_t, Growing>> of_node_;
    std::map<std::uint32_t, std::shared_ptr<const Group>> newest_;  // by group
};

}  // namespace tmon_order
