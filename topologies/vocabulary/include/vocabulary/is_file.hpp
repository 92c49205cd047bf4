// True when a path names a plain file, or a folder. A name that the host refuses, for example an overlong one, names neither;
// the caller reports the reason.
#pragma once

#include <filesystem>
#include <system_error>

namespace vocabulary {

inline bool is_file(const std::filesystem::path& path) {
    std::error_code refused;
    return std::filesystem::is_regular_file(path, refused);
}

inline bool is_folder(const std::filesystem::path& path) {
    std::error_code refused;
    return std::filesystem::is_directory(path, refused);
}

}  // namespace vocabulary
