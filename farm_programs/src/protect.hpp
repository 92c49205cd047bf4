// Access to pages, or an error that says why not: a heap or a guard that is not what it should be must not go unnoticed.
#pragma once

#include <cstddef>

namespace farm_programs {

enum class Access { None, ReadWrite };
// Throws std::runtime_error with the host's reason.
void protect(void* first, std::size_t bytes, Access access);

}  // namespace farm_programs
