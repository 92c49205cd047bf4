// The state of a farm in mid-run, taken from its nodes' tables. It is for observers: reading it takes no modelled time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <trek_kernel/farm_events.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trek_kernel {

// The manager's account of its tasks at any moment: completed + under way = issued.
struct TaskAccount {
    std::uint32_t issued = 0, completed = 0;
    std::uint32_t unexpected = 0;  // results of tasks that were never issued or already back
    // In a farm that sends tasks in bundles: the tasks that are back, in order of arrival. Moves of a bundle do not name its
    // tasks.
    std::vector<std::uint32_t> back;
};

// The results that wait in a node: arrived from below or made here, and not yet sent, joined or taken by get_result(). A bundle
// counts as one until the manager takes it apart.
struct ResultQueue {
    std::uint32_t waiting = 0, longest = 0;
    std::uint64_t bytes = 0, most_bytes = 0;  // bytes of the node's RAM
    vocabulary::SimTime since;                // time of the last change
    std::int64_t waited_ns = 0;               // total waiting time of all results, until `since`
};

// The present state of one of the user's processes, from the node's kernel and TrEK's tables.
struct Standing {
    vocabulary::NodeId node;
    UserProcess process = UserProcess::Compute;
    std::string text;  // "is in task 49, sub-task 0110"
};

}  // namespace trek_kernel
