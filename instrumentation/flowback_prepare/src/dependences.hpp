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

// A branch that decides directly about a block, and its way that leads there: 0 is that of true. -1: several do.
struct Decider {
    std::uint32_t branch = 0;
    int way = 0;
};
std::map<const llvm::BasicBlock*, std::vector<Decider>> deciders(llvm::Function& function);

}  // namespace flowback_prepare
