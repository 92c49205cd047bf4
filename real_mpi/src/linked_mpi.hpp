// The MPI library that a program is linked with.
#pragma once

#include <optional>
#include <string>

#include <real_mpi/launch.hpp>

namespace real_mpi {

// Empty: the file is no program of this host, or is linked with none. By the names of the libraries that it needs itself.
std::optional<Mpi> linked_mpi(const std::string& path);
bool is_program(const std::string& path);  // of this host: ELF, 64 bits

}  // namespace real_mpi
