// One child process: start, wait, and report of its end. Forks (forks.hpp) are several child processes that answer.
#pragma once

#include <sys/types.h>

#include <string>

namespace forks {

// Own: the child gets a process group of its own. Ctrl-C at the terminal does not reach it, and one kill() reaches the child
// and all its descendants.
enum class ProcessGroup { Shared, Own };

// Registers a function that every child of fork_child() calls first, and so do the children's children.
void call_in_children(void (*call)());

// As fork(): 0 in the child, the child's number in the parent. stdio is flushed first, so that nothing is printed twice. The
// child dies with its parent, however the parent ends. Throws vocabulary::HostError when the host has no room for it. `what`:
// the child's purpose, as "a snapshot", for that message. Cost: one fork(), the page tables copied (docs/results/forks.md has
// figures).
pid_t fork_child(const std::string& what, ProcessGroup group = ProcessGroup::Shared);

// Waits until the child has ended, despite interrupts, and returns the status from waitpid(). Call once a child: it is reaped
// then.
// `processor_seconds`: what the child and its own children took from the host; null: not wanted.
int wait_for_child(pid_t child, double* processor_seconds = nullptr);
// "exit code 3", "signal 11 (Segmentation fault)"
std::string how_it_ended(int status);

}  // namespace forks
