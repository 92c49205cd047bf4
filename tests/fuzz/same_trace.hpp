// Equality of traces for round trips.
#pragma once

#include <tmon_streams/trace.hpp>

namespace fuzz {

// Ends the program unless both have the same streams: records, losses, states.
void require_same(const tmon_streams::Trace& before, const tmon_streams::Trace& after);

}  // namespace fuzz
