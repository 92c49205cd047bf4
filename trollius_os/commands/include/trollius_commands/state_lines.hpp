// The lines of `state`: one a process. Columns of LAM 7.1.4, as the thesis of Lin (1993), section 6.1, prints them.
#pragma once

#include <string>

#include <trollius_os/services/kenyad.hpp>

namespace trollius_commands {

std::string state_head();
std::string state_line(const std::string& node, const trollius_os::ProcessLine& line);

}  // namespace trollius_commands
