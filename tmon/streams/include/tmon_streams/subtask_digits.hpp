// The digits of a sub-task's number, four bits a level: private.
#pragma once

#include <limits>

#include <farm_spec/farm_spec.hpp>

namespace tmon_streams {

using trace_record::SubTaskId;

// All digits that a number of so many levels can have. A number has no more digits than fit, however deep the tree is.
constexpr SubTaskId low_digits(unsigned levels) {
    constexpr unsigned bits = std::numeric_limits<SubTaskId>::digits;
    return 4 * levels >= bits ? std::numeric_limits<SubTaskId>::max() : (SubTaskId{1} << (4 * levels)) - 1;
}

}  // namespace tmon_streams
