#include <installed_files/installed_files.hpp>

#include <cstdlib>

#include <vocabulary/errors.hpp>

namespace installed_files {

std::vector<std::filesystem::path> prefixes() {
    std::vector<std::filesystem::path> all{std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path()};
    if (const char* named = std::getenv("MAGICWIRE_PREFIX"); named != nullptr && *named != '\0') all.emplace_back(named);
    return all;
}

std::string find_archive(const std::string& name) {
    std::string tried;
    std::vector<std::filesystem::path> places;
    for (const auto& prefix : prefixes()) places.push_back(prefix / "share/magicwire/support" / name);
    places.push_back(std::filesystem::path(MAGICWIRE_BINARY_FOLDER) / "support" / name);
    for (const auto& place : places) {
        if (std::filesystem::is_regular_file(place)) return place.lexically_normal();
        tried += (tried.empty() ? "" : " and ") + place.string();
    }
    throw vocabulary::HostError("the library for programs is not there; tried " + tried + "; build all of Magicwire");
}

std::string find_header_folder(const std::string& installed, const std::string& source) {
    for (const auto& prefix : prefixes()) {
        const auto folder = prefix / "include/magicwire" / installed;
        if (std::filesystem::is_directory(folder)) return folder.lexically_normal();
    }
    return std::string(MAGICWIRE_SOURCE_FOLDER) + "/" + source;
}

}  // namespace installed_files
