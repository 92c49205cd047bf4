// The nesting of calls that the searches follow.
#pragma once

namespace tmon_flowback {

inline constexpr unsigned most_nesting = 500;  // each level is one of this program's own stack

}  // namespace tmon_flowback
