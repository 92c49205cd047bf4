// The files that Magicwire needs at run time beside its executable: in an installation, or in the tree of the build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace installed_files {

// The folders that may hold include/magicwire, lib/magicwire and share/magicwire. The folder above the executable's
// (PREFIX/bin) comes first, so a moved installation finds its own files. The environment variable MAGICWIRE_PREFIX comes
// second, for programs elsewhere that link the libraries.
std::vector<std::filesystem::path> prefixes();

// A library that CMake has built for programs ("lam/liblam_mpi.a"). Throws vocabulary::HostError with the places that were
// tried.
std::string find_archive(const std::string& name);

// The folder of a header for programs: `installed` below include/magicwire, or `source` in the source tree.
std::string find_header_folder(const std::string& installed, const std::string& source);

}  // namespace installed_files
