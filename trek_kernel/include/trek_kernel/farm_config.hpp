// What a farm run is told: the five numbers of the thesis' .spf file and the buffers a node has.
#pragma once

#include <cstddef>
#include <cstdint>

#include <trek_kernel/tree.hpp>

namespace trek_kernel {

// A sub-task id has a hexadecimal digit for each split but the lowest (32 bits); a task is not divided more often than that.
inline constexpr std::size_t most_splits = 7;

struct FarmConfig {
    std::uint32_t nodes = 0;  // with the manager
    TreeKind tree = TreeKind::Binary;
    std::uint32_t tasks = 0;
    std::uint32_t degree = 1;   // sub-tasks a split makes; 1 is the processor farm (PFVM), 2 to 16 divide and conquer (DCVM)
    std::uint32_t depth = 1;    // most splits of a task
    std::uint32_t buffers = 1;  // tasks a node may hold beside the one it computes: "Total Buffers" of the report
    bool managers_high = true;  // managers, split and join at high priority (docs/decisions/0003)
    bool divides() const { return degree > 1; }
};

}  // namespace trek_kernel
