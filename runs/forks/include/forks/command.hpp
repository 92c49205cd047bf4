// Runs a program of the host and waits for it.
#pragma once

#include <string>
#include <vector>

namespace forks {

struct CommandEnd {
    bool found = true;     // false: there is no such program, and nothing else is known
    int exit_code = 0;     // 128 + signal for a program that a signal ended, as a shell has it
    std::string out, err;  // what it printed, without line feeds at the end
};

// `words`: name and arguments; a name without '/' is looked up in PATH. Throws vocabulary::HostError when the host cannot start
// it. Cost: one process.
CommandEnd run_command(const std::vector<std::string>& words);

}  // namespace forks
