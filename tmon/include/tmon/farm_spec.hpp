// FarmSpec: the specification of a task farm as the thesis' .spf file gives it (Lin 1993, sections 3.2, 3.3 and 5.4.3), and the
// shape of the tree that follows from it. Plain value; every helper is constant time and small.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace_record/event.hpp"

namespace tmon {

using trace_record::SubTaskId;

enum class TreeShape : std::uint8_t { Chain = 1, Binary = 2, Ternary = 3 };  // numbers of the .spf file

struct FarmSpec {
    std::uint32_t processors = 2;  // with the manager, node 0; at least 2
    TreeShape topology = TreeShape::Binary;
    std::uint32_t tasks = 0;
    std::uint32_t degree = 1;  // sub-tasks of a split; 1 is a PFVM, which forwards tasks whole
    std::uint32_t depth = 1;   // splits at most; no meaning in a PFVM

    friend bool operator==(const FarmSpec&, const FarmSpec&) = default;

    bool is_processor_farm() const { return degree == 1; }
    std::uint32_t arity() const { return static_cast<std::uint32_t>(topology); }

    // Node 0 has none; the root worker's is node 0.
    std::optional<std::uint16_t> parent(std::uint16_t node) const;
    // Ascending. Node 0 has the root worker; node i has i + 1, or 2i and 2i + 1, or 3i - 1, 3i and 3i + 1, as far as they
    // exist.
    std::vector<std::uint16_t> children(std::uint16_t node) const;
    // Splits above a worker: 0 for the root worker.
    unsigned level(std::uint16_t worker) const;
    // Whether a worker may pass something down: it has children and, in a DCVM, the depth allows one more split.
    bool may_pass_down(std::uint16_t worker) const;
    // The id of branch j of a sub-task that is split on a worker of this level: the digit level + 1 from the right becomes j.
    static SubTaskId branch_id(SubTaskId subtask, unsigned level, unsigned j) { return subtask | (j << (4 * (level + 1))); }
    // Whether a sub-task of this id can be on this worker: digits 1 ... level below the degree, all others 0.
    bool possible(SubTaskId subtask, std::uint16_t worker) const;
};

inline constexpr std::uint32_t most_processors = 65'535;  // the host has the id after the last node
inline constexpr std::uint32_t most_degree = 16;          // one hexadecimal digit
inline constexpr std::uint32_t most_depth = 7;            // digits of a SubTaskId without digit 0
inline constexpr std::uint32_t most_tasks = 1u << 28;

}  // namespace tmon
