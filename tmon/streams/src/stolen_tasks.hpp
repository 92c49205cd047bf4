// Private: which messages of a .tvm that went up were stolen tasks and not results. The file has no column for it. A message
// that a parent sends down again cannot have been a result. The last way up of a sub-task is taken for its result, which it may
// not be.
#pragma once

#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_streams {

// records: by node, in order; on entry is_result marks everything that went up. Cost: the events, times the logarithm of the
// sub-tasks.
void guess_stolen(std::vector<std::vector<Event>>& records, const farm_spec::FarmSpec& spec);

}  // namespace tmon_streams
