// The host's tools: addr2line and objdump.
#pragma once

#include <string>

namespace user_programs {

std::string quoted(const std::string& path);        // for a shell
std::string output_of(const std::string& command);  // empty when it cannot be run
// Saves the present environment; the tools get this copy, whatever changes later.
void keep_environment();

}  // namespace user_programs
