// Finds the installation of Magicwire from a running program: the folders that may hold include/magicwire, lib/magicwire and
// share/magicwire.
#pragma once

#include <filesystem>
#include <vector>

namespace user_programs {

// The folder above the executable's (PREFIX/bin) comes first, so a moved installation finds its own files. The environment
// variable MAGICWIRE_PREFIX comes second, for programs elsewhere that link the libraries.
std::vector<std::filesystem::path> install_prefixes();

}  // namespace user_programs
