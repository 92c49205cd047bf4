// The bytes that a variable has before the program runs.
#pragma once

#include <string>
#include <vector>

#include "llvm.hpp"

namespace flowback_prepare {

// A place that holds an address: that of `target`, and so many bytes behind it.
struct Relocation {
    std::uint64_t offset = 0;
    std::string target;
    std::int64_t addend = 0;
};

struct InitialValue {
    bool known = true;  // false: it has a part that is not followed
    std::string bytes;  // empty: all are zero
    std::vector<Relocation> relocations;
};

InitialValue initial_value(const llvm::GlobalVariable& variable);

}  // namespace flowback_prepare
