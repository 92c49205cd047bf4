// Changes the access to pages. It throws on failure, because a heap or a guard with the wrong access must not go unnoticed.
#pragma once

#include <cstddef>

namespace user_programs {

enum class Access { None, ReadWrite };
// Throws vocabulary::HostError with the host's reason.
void protect(void* first, std::size_t bytes, Access access);

}  // namespace user_programs
