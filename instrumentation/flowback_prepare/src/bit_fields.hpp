// Loads of words that hold bit fields, as clang makes them without optimisation.
#pragma once

#include <cstdint>

#include "llvm.hpp"

namespace flowback_prepare {

// The load keeps the rest of a word when a bit field is written: nothing reads its value.
bool keeps_bit_field(const llvm::LoadInst& load);
// The bits of the word that are used. Where a bit field is written, they are those that the statement sets. All bits, if the
// load has nothing to do with a field.
std::uint64_t bits_of(const llvm::LoadInst& load);

}  // namespace flowback_prepare
