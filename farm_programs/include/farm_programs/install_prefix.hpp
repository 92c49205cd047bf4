// Where Magicwire is installed, as seen from a running program: the folders to look for include/magicwire, lib/magicwire and
// share/magicwire in.
#pragma once

#include <filesystem>
#include <vector>

namespace farm_programs {

// First comes the folder above the executable's (PREFIX/bin), so that a moved installation finds its own. Then comes that of
// the environment variable MAGICWIRE_PREFIX, for programs that link the libraries and lie elsewhere.
std::vector<std::filesystem::path> install_prefixes();

}  // namespace farm_programs
