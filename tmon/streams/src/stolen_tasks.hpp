// Private: guesses which upward messages of a .tvm were stolen tasks rather than results; the file has no column for that. A
// sub-task that the parent sends down again was stolen. The last upward message of a sub-task counts as its result, which may
// be wrong.
#pragma once

#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_streams {

// `records`: by node, in order; on entry is_result marks every upward message. Cost: the events, times the logarithm of the
// sub-tasks.
void guess_stolen(std::vector<std::vector<Event>>& records, const farm_spec::FarmSpec& spec);

}  // namespace tmon_streams
