// One child process: how it is begun, waited for, and what is said of its end. Forks (forks.hpp) are several of them that
// answer.
#pragma once

#include <sys/types.h>

#include <string>

namespace tmon_session {

// Own: a group of the child's own. Ctrl-C at the terminal does not reach it, and one kill() reaches it with all that it starts.
enum class ProcessGroup { Shared, Own };

// As fork(): 0 in the child, the child's number in the parent. What waits in the buffers of stdio is written first, else it
// would come out twice. The child dies with its parent, whatever ends that, and programs in it are watched again. `what` it is
// for, as "a snapshot", stands in the message of the std::runtime_error that is thrown when the host has no room for it. Cost:
// one fork(), the page tables copied (docs/shell.md has figures).
pid_t fork_child(const std::string& what, ProcessGroup group = ProcessGroup::Shared);

// Until it has ended, whatever interrupts; what waitpid() says of its end. Once a child: then nothing is left of it.
int wait_for_child(pid_t child);
// "exit code 3", "signal 11 (Segmentation fault)"
std::string how_it_ended(int status);

}  // namespace tmon_session
