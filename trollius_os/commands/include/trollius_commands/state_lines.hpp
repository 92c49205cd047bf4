// The lines of `state`: one a process. Columns of LAM 7.1.4, as the thesis of Lin (1993), section 6.1, prints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <trollius_os/process.hpp>

namespace trollius_commands {

std::string state_head();
// Without an index: a thread.
std::string state_line(const std::string& node, std::optional<std::uint32_t> index, vocabulary::ProcessId pid,
                       const trollius_os::ProcessStatus& status, const std::string& program);

}  // namespace trollius_commands
