// Static dependences of a site. Operands are the sites and parameters that its value, address or arguments are computed from.
// Deciders are the branches that decide whether its block runs: control dependence by post-dominators (Ferrante, Ottenstein and
// Warren 1987).
#pragma once

#include <map>
#include <vector>

#include "numbered_module.hpp"

namespace flowback_prepare {

struct Operand {
    enum class Role : int { Value = 0, Address = 1, Argument = 2 };  // Argument + n: argument n of a call
    int role = 0;
    std::uint32_t site = 0;  // 0: a parameter
    int parameter = -1;
};

std::vector<Operand> operands_of(const llvm::Instruction& site);

// For each block of the function the sites of the branches that decide about it directly.
std::map<const llvm::BasicBlock*, std::vector<std::uint32_t>> deciders(llvm::Function& function);

}  // namespace flowback_prepare
