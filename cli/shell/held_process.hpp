// A snapshot of a machine's process: the process itself, which waits while a fork of it goes on. Going back ends the fork, and
// another goes on from there. Its snapshots are numbered from the oldest.
#pragma once

#include <cstddef>
#include <string>

#include "shell/shell_wire.hpp"

namespace cli {

// Interrupts (SIGINT) set `interrupted` and end nothing.
void catch_interrupts();

struct Resumed {
    bool is_back = false;  // not the first fork
    std::string died;      // by what the fork before it has died; empty: it went back
};
// Returns in each fork that goes on from here. Throws vocabulary::HostError, in this process, when the host has no room.
Resumed hold_process(std::size_t number);
// To the command that took the snapshot, or went back to it. `at`: its moment.
ShellAnswer answer_of_snapshot(const Resumed& resumed, const std::string& name, const std::string& at);
// For a fork: ends, and the process of that snapshot makes another.
[[noreturn]] void go_back_to(std::size_t number);

}  // namespace cli
