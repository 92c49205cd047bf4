// The settings of a farm run: the five numbers of the thesis' .spf file and the policy for handing out tasks. A tree that is
// none of the three regular ones is given too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <trek_kernel/tree.hpp>

namespace trek_kernel {

// A sub-task id has a hexadecimal digit for each split but the lowest (32 bits); a task is not divided more often than that.
inline constexpr std::size_t most_splits = 7;

// The policy that decides which child gets a task (docs/model/farm.md).
enum class Policy : std::uint8_t {
    FloodFilling,  // the child that asks first; the thesis'
    RoundRobin,    // strictly one after the other
    WorkStealing,  // dealt out, and an idle node takes from the fullest of its siblings
    Priorities,    // as flood filling, the most urgent task first
};
const char* policy_name(Policy policy);  // "flood-filling", "round-robin", "work-stealing", "priorities"

struct FarmConfig {
    std::uint32_t nodes = 0;  // with the manager
    TreeKind tree = TreeKind::Binary;
    std::uint32_t tasks = 0;
    std::uint32_t degree = 1;   // sub-tasks a split makes; 1 is the processor farm (PFVM), 2 to 16 divide and conquer (DCVM)
    std::uint32_t depth = 1;    // most splits of a task
    std::uint32_t buffers = 1;  // tasks a node may hold beside the one it computes: "Total Buffers" of the report
    bool managers_high = true;  // managers, split and join at high priority (docs/decisions/0003)
    Parents parents = {};       // of TreeKind::Given, index: NodeId below `nodes`; else empty
    std::uint32_t granularity = 1;  // tasks that travel in one message; such a bundle has the number of its first task
    Policy policy = Policy::FloodFilling;
    bool survives = false;  // a node that dies takes no task with it (Lin 1993, section 7.2.1; recovery)

    bool divides() const { return degree > 1; }
    bool has(NodeId node) const;                      // true when the node has a part in the farm
    std::optional<NodeId> parent(NodeId node) const;  // empty for the manager
    std::vector<NodeId> children(NodeId node) const;  // ascending
    std::size_t level(NodeId node) const;             // splits between the manager's task and one here: 0 below the manager
    std::vector<NodeId> members() const;              // ascending, the manager first
    // Every node before its parent, the deepest first and the manager last. Programs are started and the monitor is begun in
    // this order, since a node sends to its children as soon as it may.
    std::vector<NodeId> leaves_first() const;
};

}  // namespace trek_kernel
