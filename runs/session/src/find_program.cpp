#include <algorithm>
#include <filesystem>
#include <vector>

#include <installed_files/installed_files.hpp>
#include <session/applications.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

namespace session {

std::string find_program(const std::string& name) {
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::vector<std::string> names;
    // Beside the executable of the build tree, or installed; the build tree's own place for executables that lie elsewhere.
    std::vector<std::filesystem::path> folders{executable / "../examples/programs"};
    for (const auto& prefix : installed_files::prefixes()) folders.push_back(prefix / "lib/magicwire/programs");
    folders.emplace_back(MAGICWIRE_PROGRAMS_FOLDER);
    for (const std::filesystem::path& folder : folders) {
        if (!std::filesystem::is_directory(folder)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() != ".so") continue;
            if (entry.path().stem() == name) return entry.path().string();
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string known;
    for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
    throw vocabulary::RequestError("there is no program '" + name + "'" + vocabulary::did_you_mean(name, names) +
                                   "; programs there are: " + (known.empty() ? "none" : known));
}

}  // namespace session
