// The requests about the pool: what each does, and what it answers.
#pragma once

#include <cstddef>
#include <vector>

#include "buffer_pool.hpp"

namespace trollius_os::services {

// `body` gets the body of the answer.
BufferAnswer obey(const BufferQuery& query, BufferPool& pool, std::vector<std::byte>& body);

}  // namespace trollius_os::services
