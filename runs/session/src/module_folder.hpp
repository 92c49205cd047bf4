// ModuleFolder: a folder for copies of program modules. The host's loader opens a file once a process. So a program that runs
// in two phases needs a file of its own in the second. The folder goes with this object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace session {

class ModuleFolder {
public:
    ModuleFolder() = default;
    ModuleFolder(const ModuleFolder&) = delete;
    ModuleFolder& operator=(const ModuleFolder&) = delete;
    ~ModuleFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    // Throws vocabulary::HostError when the host has no room.
    const std::string& make() {
        std::string name = (std::filesystem::temp_directory_path() / "magicwire_phase.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw vocabulary::HostError({name, 0, 0}, "cannot be made; is the disk full?");
        path_ = name;
        return path_;
    }

private:
    std::string path_;
};

}  // namespace session
