// From an address in a loaded program to the line of its source, with addr2line (binutils).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace farm_programs {

struct SourceLine {
    std::string file, function;  // file without its folder; both empty: not known
    unsigned line = 0;
};

// For each address (from the module's beginning on), the innermost frame that the user has written. Frames of the support code
// and of a library's headers do not count.
std::vector<SourceLine> user_lines(const std::string& module, const std::vector<std::uintptr_t>& offsets);

}  // namespace farm_programs
