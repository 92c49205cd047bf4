// FarmSpec: the specification of a task farm as the thesis' .spf file gives it (Lin 1993, sections 3.2, 3.3 and 5.4.3). It adds
// what Magicwire's farms have beyond that, and the shape of the resulting tree. Plain value. FarmTree is the same tree worked
// out once, for frequent queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trace_record/event.hpp>

namespace farm_spec {

using trace_record::SubTaskId;

enum class TreeShape : std::uint8_t { Chain = 1, Binary = 2, Ternary = 3, Given = 4 };  // numbers of the .spf file; 4 is ours

// The rule by which tasks are given out. It decides in which order a node sends and takes them, and whether one may go back up.
enum class Distribution : std::uint8_t { FloodFilling, RoundRobin, WorkStealing, Priorities };
inline constexpr std::size_t distributions = 4;
const char* distribution_name(Distribution distribution);  // "flood-filling", "round-robin", "work-stealing", "priorities"

struct FarmSpec {
    std::uint32_t processors = 2;  // with the manager, node 0, and nodes outside a given tree; at least 2
    TreeShape topology = TreeShape::Binary;
    std::uint32_t tasks = 0;
    std::uint32_t degree = 1;  // sub-tasks of a split; 1 is a PFVM, which forwards tasks whole
    std::uint32_t depth = 1;   // splits at most; no meaning in a PFVM
    // By node, for TreeShape::Given; else empty. Empty for node 0 and for a node that has no part in the farm.
    std::vector<std::optional<std::uint16_t>> parents = {};
    std::uint32_t granularity = 1;  // tasks that travel together; such a bundle has the number of its first task
    Distribution distribution = Distribution::FloodFilling;
    bool survives = false;  // what a dead node had is issued again

    friend bool operator==(const FarmSpec&, const FarmSpec&) = default;

    bool is_processor_farm() const { return degree == 1; }
    std::uint32_t arity() const { return static_cast<std::uint32_t>(topology); }  // in a regular tree

    // Node 0 has none, and neither has a node outside the farm.
    std::optional<std::uint16_t> parent(std::uint16_t node) const;
    // Ascending. In a regular tree node 0 has the root worker. The others have, as far as they exist: node i has i + 1, or 2i
    // and 2i + 1, or 3i - 1, 3i and 3i + 1. Cost in a given tree: the time of its nodes.
    std::vector<std::uint16_t> children(std::uint16_t node) const;
    // Splits above a worker: 0 for a child of node 0.
    unsigned level(std::uint16_t worker) const;
    // True when a worker may pass something down: it has children and, in a DCVM, the depth allows one more split.
    bool may_pass_down(std::uint16_t worker) const;
    // The id of branch j of a sub-task that is split on a worker of this level. Digit level + 1 from the right becomes j.
    static SubTaskId branch_id(SubTaskId subtask, unsigned level, unsigned j) { return subtask | (j << (4 * (level + 1))); }
    // True when a sub-task of this id can be on this worker: digits 1 ... level below the degree, all others 0.
    bool possible(SubTaskId subtask, std::uint16_t worker) const { return possible_at(subtask, level(worker)); }
    bool possible_at(SubTaskId subtask, unsigned level) const;

    // "48", or "48-51" for a bundle. `first`: its number.
    std::string task_text(std::uint32_t first) const;
};

// The tree of a specification: every answer in constant time.
class FarmTree {
public:
    explicit FarmTree(const FarmSpec& spec);

    bool has(std::uint16_t node) const { return node == 0 || parents_[node] != nobody; }
    std::optional<std::uint16_t> parent(std::uint16_t node) const {
        return parents_[node] == nobody ? std::nullopt : std::optional(parents_[node]);
    }
    std::span<const std::uint16_t> children(std::uint16_t node) const {
        return std::span(children_).subspan(first_child_[node], first_child_[node + 1u] - first_child_[node]);
    }
    unsigned level(std::uint16_t worker) const { return levels_[worker]; }
    bool may_pass_down(std::uint16_t worker) const { return passes_down_[worker]; }
    const std::vector<std::uint16_t>& from_the_top() const { return order_; }  // members; parents before their children

private:
    static constexpr std::uint16_t nobody = 0xFFFF;
    std::vector<std::uint16_t> parents_, children_, order_;
    std::vector<std::uint32_t> first_child_;  // into children_
    std::vector<unsigned> levels_;
    std::vector<bool> passes_down_;
};

inline constexpr std::uint32_t most_processors = 65'535;  // the host has the id after the last node
inline constexpr std::uint32_t most_degree = 16;          // one hexadecimal digit
inline constexpr std::uint32_t most_depth = 7;            // digits of a SubTaskId without digit 0
inline constexpr std::uint32_t most_tasks = 1u << 28;
inline constexpr std::uint32_t most_branches = 4;  // links of a node

}  // namespace farm_spec
