// A process and all that it has started, even in a session of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace sweeps {

// Bytes of the host's memory that they have. Reserved addresses without memory do not count, so no limit of the host's kernel
// would do. Pages that parent and child share count twice. Cost: some files of /proc for each process.
std::uint64_t memory_of_tree(pid_t process);
// Each is stopped before its children are looked for, so that it starts no more.
void kill_tree(pid_t process);

// From now on a process whose parent ends belongs to this one, so that it is found.
void adopt_orphans();
void kill_descendants();  // waits until they are gone

}  // namespace sweeps
