#include <user_programs/install_prefix.hpp>

#include <cstdlib>

namespace user_programs {

std::vector<std::filesystem::path> install_prefixes() {
    std::vector<std::filesystem::path> prefixes{std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path()};
    if (const char* named = std::getenv("MAGICWIRE_PREFIX"); named != nullptr && *named != '\0') prefixes.emplace_back(named);
    return prefixes;
}

}  // namespace user_programs
