// Places: where code of a program can stop, by the words of a person.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "debug_info.hpp"

namespace rank_debugger {

struct CodePlace {
    std::string text;                       // "relax() at jacobi.c:14"
    std::string note{};                     // "line 12 has no code"; empty: none
    std::vector<std::uintptr_t> addresses;  // in the file, in ascending order
};
// FUNCTION, FUNCTION(), FILE:LINE or FILE:FUNCTION. A function stops behind the code that makes its frame. Throws
// vocabulary::RequestError when there is no such place.
CodePlace place_of(const DebugInfo& info, const std::string& words);
// Where the function stops: behind the code that makes its frame.
std::uintptr_t entry_of(const DebugInfo& info, const Function& function);

}  // namespace rank_debugger
