// The state of a farm in the middle of its run, as its nodes' tables have it. For those who watch: reading it costs no modelled
// time.
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
    std::uint32_t unexpected = 0;  // results of tasks that were never issued, or that were back already
    // In a farm that sends tasks in bundles: the tasks that are back, in order of arrival. Moves of a bundle do not name its
    // tasks.
    std::vector<std::uint32_t> back;
};

// The results that wait in a node. They came from below or were made here, and have not left, been joined or been taken by
// get_result(). A bundle is one until the manager takes it apart.
struct ResultQueue {
    std::uint32_t waiting = 0, longest = 0;
    std::uint64_t bytes = 0, most_bytes = 0;  // of the node's RAM
    vocabulary::SimTime since;                // the last change
    std::int64_t waited_ns = 0;               // added up over the results, until `since`
};

// The present work of one of the user's processes, as the node's kernel and TrEK's own tables have it.
struct Standing {
    vocabulary::NodeId node;
    UserProcess process = UserProcess::Compute;
    std::string text;  // "is in task 49, sub-task 0110"
};

}  // namespace trek_kernel
