// RecordedGroups: the groups whose members are recorded, and the ends of their operations. Each node records the members of a
// group by rank, before its first operation. So the partners of a record follow from it and those before it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <tmon_order/communication.hpp>
#include <trace_record/event.hpp>

namespace tmon_order {

class RecordedGroups {
public:
    RecordedGroups(std::uint16_t nodes, bool come_again) : of_node_(nodes), come_again_(come_again) {}

    // Records of one node come in the order of their numbers. Where a node has lost a member, the list of another node counts.
    // Until one is known, operations have no ends. Nodes whose lists of a group differ have no operation in common. Memory:
    // each list once, the one that each node writes, and for `come_again` 16 bytes an operation with the list of another node.
    void member(const trace_record::Event& event);
    void operation(const trace_record::Event& event, std::vector<End>& ends);
    // The same records come once more. What they took from another node, they have again.
    void begin_again();

private:
    // A list: `number` is its own, since equal lists of a group are one.
    struct Known {
        std::shared_ptr<const Group> members;
        std::uint32_t number = 0;
    };
    struct Growing {
        std::uint32_t next = 0, size = 0;  // rank, members
        Group nodes;
        Known whole;  // members that have streams

        void begin_anew() {
            next = size = 0;
            nodes.clear();
        }
    };
    // An operation that took its list from another node; empty: none was known.
    struct Borrowed {
        std::uint32_t seq = 0;
        const Known* list = nullptr;
    };
    struct OfNode {
        std::map<std::uint32_t, Growing> groups;
        std::vector<Borrowed> borrowed;
        std::size_t again = 0;  // the next one, when the records come once more
    };
    Known shared(std::uint32_t id, Group group);
    const Known* elsewhere(const trace_record::Event& event);

    std::vector<OfNode> of_node_;
    std::map<std::pair<std::uint32_t, Group>, Known> lists_;  // by group
    std::map<std::uint32_t, const Known*> newest_;            // likewise
    std::uint32_t numbers_ = 0;
    const bool come_again_;
    bool again_ = false;
};

}  // namespace tmon_order
