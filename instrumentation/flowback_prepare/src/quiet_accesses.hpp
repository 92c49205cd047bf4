// Quiet accesses: reads and writes of named variables that log nothing, since the recorder knows of them already on every way
// to them. Both sides leave them out: the logging version calls nothing, and the emulation counts nothing.
#pragma once

#include <set>

#include "numbered_module.hpp"

namespace flowback_prepare {

// Sites of a function's quiet loads and stores. A load is quiet when its bytes were read or written in the same interval, and
// nothing since has made the recorder forget (flowback_log/recorder.hpp). A store is quiet when also the postlog has its bytes,
// or need not have them. A data-flow analysis: Kildall 1973, facts that hold on all ways.
std::set<std::uint32_t> quiet_accesses(const llvm::Function& function, const NumberedModule& numbered);

}  // namespace flowback_prepare
