#include "protect.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <vocabulary/errors.hpp>

namespace user_programs {

void protect(void* first, std::size_t bytes, Access access) {
    if (mprotect(first, bytes, access == Access::None ? PROT_NONE : PROT_READ | PROT_WRITE) == 0) return;
    throw vocabulary::HostError("access to " + std::to_string(bytes) + " bytes of a program's memory cannot be changed: " +
                                std::strerror(errno) + "; is the host out of memory, or vm.max_map_count too small?");
}

}  // namespace user_programs
