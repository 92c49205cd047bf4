// The policies, one a source file.
#pragma once

#include <trek_kernel/distribution.hpp>

namespace trek_kernel {

std::unique_ptr<Distribution> flood_filling(std::size_t children);
std::unique_ptr<Distribution> round_robin(std::size_t children);
std::unique_ptr<Distribution> work_stealing(std::size_t children);
std::unique_ptr<Distribution> priorities(std::size_t children);

}  // namespace trek_kernel
