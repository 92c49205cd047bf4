// A temporary folder with a scenario, a machine, a task description and an unload sequence; deleted at the end of the test.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <scenario/scenario.hpp>
#include <vocabulary/source_position.hpp>

namespace session_test {

class ScenarioFolder {
public:
    ScenarioFolder() {
        std::string name = (std::filesystem::path(testing::TempDir()) / "magicwire_session_test.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made in " + testing::TempDir());
        path_ = name;
        std::filesystem::copy_file(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8.yaml", path_ / "btree_8.yaml");
        write("plain.dat", "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n");
    }
    ~ScenarioFolder() { std::filesystem::remove_all(path_); }
    ScenarioFolder(const ScenarioFolder&) = delete;
    ScenarioFolder& operator=(const ScenarioFolder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream out(path_ / name, std::ios::binary);
        out << text;
    }
    scenario::Scenario read(const std::string& text, const std::vector<scenario::Setting>& settings = {},
                            std::optional<std::uint64_t> seed = {}) const {
        write("s.yaml", text);
        return scenario::read_scenario(file("s.yaml"), settings, seed);
    }
    // Whole text of the InputError that the scenario gives, without the folder.
    std::string error(const std::string& text, const std::vector<scenario::Setting>& settings = {}) const {
        try {
            read(text, settings);
        } catch (const vocabulary::InputError& found) {
            return without_folder(found.what());
        }
        return "no InputError was thrown";
    }
    std::string without_folder(std::string text) const {
        const std::string folder = path_.string() + "/";
        for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.erase(at, folder.size());
        return text;
    }
    std::filesystem::path path() const { return path_; }

private:
    std::filesystem::path path_;
};

// The scenario most tests begin with, line by line; replaced() changes one of them.
inline const std::string plain =
    "version: 1\n"
    "name: plain\n"
    "machine: btree_8.yaml\n"
    "farm: {nodes: 8, tree: binary, tasks: 40}\n"
    "application: {tasks: plain.dat}\n";
inline const std::string watched = plain + "monitor: {unload: [[1000s, 8, 32]]}\n";

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    if (at == std::string::npos) throw std::logic_error("the scenario has no '" + what + "'");
    return text.replace(at, what.size(), by);
}

inline std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace session_test
