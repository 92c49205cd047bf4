// FarmSpec: the specification of a task farm. It has the five numbers of the thesis' .spf file (Lin 1993, section 5.4.3), the
// policy for handing out tasks, and the additions of Magicwire. It is a plain value for the runtime, the formulas and every
// analysis. FarmTree (farm_tree.hpp) precomputes its tree for frequent queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_spec/tree.hpp>
#include <trace_record/event.hpp>

namespace farm_spec {

using trace_record::SubTaskId;

inline constexpr std::uint32_t most_processors = 65'535;  // the host has the id after the last node
inline constexpr std::uint32_t most_tasks = 1U << 28;
inline constexpr std::uint32_t most_degree = 16;  // one hexadecimal digit
inline constexpr std::uint32_t most_depth = 7;    // digits of a SubTaskId without digit 0
inline constexpr std::uint32_t most_buffers = 1000;
inline constexpr std::uint32_t most_granularity = 1000;
inline constexpr std::uint32_t most_branches = 4;  // links of a node

// The policy that decides which child gets a task (docs/model/farm.md). It also decides the order in which a node sends and
// takes tasks, and whether a task may go back up.
enum class Policy : std::uint8_t {
    FloodFilling,  // the child that asked first, as in the thesis
    RoundRobin,    // the children strictly in turn
    WorkStealing,  // dealt out; an idle node takes from its fullest sibling
    Priorities,    // as flood filling, the most urgent task first
};
inline constexpr std::size_t policies = 4;
const char* policy_name(Policy policy);  // "flood-filling", "round-robin", "work-stealing", "priorities"
std::vector<std::string> policy_names();

struct FarmSpec {
    std::uint32_t nodes = 0;  // includes the manager, node 0, and nodes outside a given tree; at least 2 in a farm
    TreeKind tree = TreeKind::Binary;
    std::uint32_t tasks = 0;
    std::uint32_t degree = 1;   // sub-tasks a split makes; 1 is the processor farm (PFVM), 2 to 16 divide and conquer (DCVM)
    std::uint32_t depth = 1;    // most splits of a task; unused in a PFVM
    std::uint32_t buffers = 1;  // tasks a node may hold beside the one it computes: "Total Buffers" of the report
    bool managers_high = true;  // managers, split and join at high priority (docs/decisions/0003)
    Parents parents = {};       // for TreeKind::Given, index: NodeId below `nodes`; else empty
    std::uint32_t granularity = 1;  // tasks that travel in one message; such a bundle has the number of its first task
    Policy policy = Policy::FloodFilling;
    bool survives = false;  // a crashed node loses no task (Lin 1993, section 7.2.1; recovery)
    // Name of the fault model (tmon_models) of a program that is no farm, such as "halo". Empty: a farm, PFVM or DCVM.
    std::string model = {};

    friend bool operator==(const FarmSpec&, const FarmSpec&) = default;

    bool is_farm() const { return model.empty(); }
    bool divides() const { return degree > 1; }
    bool has(NodeId node) const;                      // true when the node is in the farm
    std::optional<NodeId> parent(NodeId node) const;  // empty for the manager and for a node outside the farm
    std::vector<NodeId> children(NodeId node) const;  // ascending. Cost in a given tree: the time of its nodes
    std::size_t level(NodeId node) const;             // splits between the manager's task and one here: 0 below the manager
    std::vector<NodeId> members() const;              // ascending, the manager first
    // Every node before its parent, the deepest first and the manager last. Programs and the monitor start in this order,
    // because a node may send to its children at once.
    std::vector<NodeId> leaves_first() const;

    // True when a worker may pass something down: it has children and, in a DCVM, the depth allows one more split.
    bool may_pass_down(NodeId worker) const;
    // The id of branch j of a sub-task that a worker of this level splits. Digit level + 1 from the right becomes j.
    static SubTaskId branch_id(SubTaskId subtask, std::size_t level, unsigned j) { return subtask | (j << (4 * (level + 1))); }
    // True when a sub-task of this id can be on a worker of this level: digits 1 ... level below the degree, all others 0.
    bool possible_at(SubTaskId subtask, std::size_t level) const;
    // "48", or "48-51" for a bundle. `first`: its number.
    std::string task_text(std::uint32_t first) const;
};

}  // namespace farm_spec
