// One child process: how it begins, how it is waited for, and how its end is reported. Forks (forks.hpp) are several of them
// that answer.
#pragma once

#include <sys/types.h>

#include <string>

namespace forks {

// Own: a process group of the child's own. Ctrl-C at the terminal does not reach it, and one kill() reaches the child with all
// that it starts.
enum class ProcessGroup { Shared, Own };

// Every child of fork_child() calls it before anything else, and so do the children's children.
void call_in_children(void (*call)());

// As fork(): 0 in the child, the child's number in the parent. The buffers of stdio are written first, else their content would
// come out twice. The child dies with its parent, however that ends. Throws
// vocabulary::HostError when the host has no room for it. `what`: its purpose, as "a snapshot", for that message. Cost: one
// fork(), the page tables copied (docs/results/forks.md has figures).
pid_t fork_child(const std::string& what, ProcessGroup group = ProcessGroup::Shared);

// Waits until it has ended, whatever interrupts. Returns the status from waitpid(). Once a child: then nothing is left of it.
int wait_for_child(pid_t child);
// "exit code 3", "signal 11 (Segmentation fault)"
std::string how_it_ended(int status);

}  // namespace forks
