#include "output_place.hpp"

#include <fcntl.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): renameat2

#include <algorithm>
#include <cerrno>
#include <fstream>

#include <outcome/outputs.hpp>
#include <vocabulary/source_position.hpp>

namespace outcome {

namespace fs = std::filesystem;
using vocabulary::InputError;

namespace {

// A summary.json or oracle.json of another program is no sign of a run: our schema is.
bool is_marker(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    char head[64] = {};
    file.read(head, sizeof head);
    return std::string(head, static_cast<std::size_t>(file.gcount())).find("\"schema\": \"magicwire.") != std::string::npos;
}

bool holds_a_run(const fs::path& folder) {
    return is_marker(folder / "oracle.json") || is_marker(folder / "summary.json");
}

bool current_folder_lies_in(const fs::path& folder) {
    std::error_code failed;
    const fs::path above = fs::canonical(folder, failed), current = fs::current_path();
    return !failed && std::mismatch(above.begin(), above.end(), current.begin(), current.end()).first == above.end();
}

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
    throw InputError({folder, 0, 0}, why + " and is not replaced; name another folder with --out");
}

}  // namespace

fs::path without_final_slash(const fs::path& folder) {
    return folder.has_filename() ? folder : folder.parent_path();
}

fs::path new_folder_beside(const fs::path& place, const std::string& word) {
    if (place.has_parent_path()) fs::create_directories(place.parent_path());
    for (unsigned number = 1;; ++number) {
        fs::path name = place;
        name += "." + word + (number == 1 ? "" : "." + std::to_string(number));
        if (!fs::exists(fs::symlink_status(name)) && fs::create_directory(name)) return name;
    }
}

void remove_quietly(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

bool take_name(const fs::path& made, const fs::path& place) {
    if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno == EEXIST || errno == ENOTEMPTY) return false;
    if (errno == EINVAL || errno == ENOSYS) {  // a file system that cannot do both in one step
        if (fs::exists(fs::symlink_status(place))) return false;
        fs::rename(made, place);
        return true;
    }
    throw fs::filesystem_error("rename", made, place, std::error_code(errno, std::generic_category()));
}

fs::path put_beside(const fs::path& made, const fs::path& place) {
    for (unsigned number = 2;; ++number) {
        fs::path name = place;
        name += "." + std::to_string(number);
        if (take_name(made, name)) return name;
    }
}

void replace_folder(const fs::path& made, const fs::path& place) {
    if (take_name(made, place)) return;
    const fs::path aside = new_folder_beside(place, "replaced");
    fs::rename(place, aside);
    try {
        fs::rename(made, place);
    } catch (...) {
        std::error_code ignored;
        fs::rename(aside, place, ignored);
        throw;
    }
    remove_quietly(aside);
}

void check_output_place(const std::string& folder, bool force) {
    const fs::path place = without_final_slash(folder);
    std::error_code unreachable;  // reported when it is written
    const fs::file_status there = fs::symlink_status(place, unreachable);
    if (place.empty() || place.filename() == "." || place.filename() == ".." || current_folder_lies_in(place))
        refuse(folder, "is the current folder or one around it");
    if (!fs::exists(there)) return;
    if (!force)
        throw InputError({folder, 0, 0}, "already exists and is not replaced; name another folder with --out, or add --force");
    if (!fs::is_directory(there)) refuse(folder, "is not a folder");
    if (!holds_a_run(place)) refuse(folder, "holds no run of magicwire (no oracle.json or summary.json)");
}

}  // namespace outcome
