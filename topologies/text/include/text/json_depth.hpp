// Guard against deeply nested JSON from outside. The library reads any depth, but copies and prints values by recursion, so
// deep nesting would overflow the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace text {

inline constexpr std::size_t most_json_levels = 100;

// True when lists and objects nest deeper than that. The text need not be JSON. Cost: linear.
bool nests_too_deep(std::string_view json);

}  // namespace text
