// Contracts between parts of the program, checked in every build type. A broken contract is a defect of Magicwire, never of its
// input: the program prints id and place, then aborts. Bad input throws InputError (source_position.hpp); faults of the
// modelled machine are ordinary data.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace vocabulary {

[[noreturn]] inline void contract_broken(const char* kind, const char* id, const char* condition, const char* file, int line) {
    std::fprintf(stderr,
                 "magicwire: internal error: %s '%s' does not hold: %s (%s:%d). Please report it with the command line.\n",
                 kind, id, condition, file, line);
    std::abort();
}

}  // namespace vocabulary

// The id is unique in the program, and a test triggers it (scripts/contracts), e.g. EXPECTS(!name.empty(), "machine.name").
#define MAGICWIRE_CONTRACT(kind, condition, id) \
    ((condition) ? static_cast<void>(0) : vocabulary::contract_broken(kind, id, #condition, __FILE__, __LINE__))
#define EXPECTS(condition, id) MAGICWIRE_CONTRACT("precondition", condition, id)
#define ENSURES(condition, id) MAGICWIRE_CONTRACT("postcondition", condition, id)
