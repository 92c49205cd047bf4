// The process of a shell that reads commands and prints their answers. The machine runs in a process of its own, which is
// forked for snapshots.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shell/shell_line.hpp"
#include "shell/shell_wire.hpp"

namespace cli {

struct ShellReading {
    std::vector<std::string> commands{};  // with their arguments, for completion
    std::string greeting{};               // at a terminal
    Hash hash = Hash::Comment;
    bool json = false;
};

// Forks the machine's process, which calls `serve` and never returns from it, and reads commands until the session is over.
// Returns the exit code.
int read_shell(const ShellReading& reading, ShellWire& wire, const std::function<void()>& serve);

}  // namespace cli
