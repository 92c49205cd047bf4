// The processes that this one has started, and those that they have started.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace sweeps {

// From now on a process whose parent ends belongs to this one, so that it is found.
void adopt_orphans();
// Without those that have ended. Cost: a look at all processes of the host.
std::vector<pid_t> descendants();
std::uint64_t resident_bytes(pid_t process);  // bytes of the host's memory that it has; 0: it has ended
void kill_descendants();                      // waits until they are gone

}  // namespace sweeps
