// Finds the source line of an address in a loaded program, with addr2line (binutils).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace user_programs {

struct SourceLine {
    std::string file, function;  // file without its folder; both empty: unknown
    unsigned line = 0;
};

// For each offset in the module: the innermost frame of the user's own code. Frames of the support code and of library headers
// do not count.
std::vector<SourceLine> user_lines(const std::string& module, const std::vector<std::uintptr_t>& offsets);

}  // namespace user_programs
