// Ends of the collective operations of Kimelman and Zernik 1993, section 2.1, from what a record tells: operation, group,
// instance and role. Cost: constant a record.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tmon_order/communication.hpp>
#include <trace_record/event.hpp>

namespace tmon_order {

using Operation = trace_record::Collective;

struct CollectiveRecord {
    Operation operation = Operation::Barrier;
    std::uint32_t group_id = 0;  // of the group, for all its members
    std::shared_ptr<const Group> group;
    std::uint64_t instance = 0;      // number of this operation among those of the group, from 0
    std::uint32_t rank = 0;          // of the recording member
    std::uint32_t root = 0;          // Multicast: the sender; Combine, Concatenate: the receiver
    std::uint32_t partner = 0;       // Exchange: rank of the other member
    bool cyclic = false;             // Shift: the last member's value goes to the first
    bool end = false;                // false: the operation begins at this member
    bool may_be_unrecorded = false;  // a member need not have recorded each of its beginnings
};

// The ends of the record; none when no other member's record is tied to it. EXPECTS ranks within the group.
std::vector<End> ends_of(const CollectiveRecord& record);

}  // namespace tmon_order
