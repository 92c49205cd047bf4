// A small machine whose host serves the files of a real folder, made for the test and deleted with it. Beside that folder lies
// one that nobody may touch.
#pragma once

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <host_files/host_files.hpp>
#include <trollius_os/services.hpp>
#include <trollius_os/services/rfiles.hpp>

#include "test_multicomputer.hpp"

namespace file_test {

using test_support::NodeId;
using test_support::SimTime;
using trollius_os::Api;

inline std::span<const std::byte> bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
}

class Folders {
public:
    Folders() {
        std::string name = (std::filesystem::path(testing::TempDir()) / "magicwire_files_test.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made in " + testing::TempDir());
        base = name;
        std::filesystem::create_directories(base / "allowed/inner");
        std::filesystem::create_directories(base / "outside");
        write("outside/secret", "secret");
        write("allowed/inner/file", "inner");
    }
    ~Folders() { std::filesystem::remove_all(base); }
    Folders(const Folders&) = delete;
    Folders& operator=(const Folders&) = delete;

    void write(const std::string& name, const std::string& text) const { std::ofstream(base / name, std::ios::binary) << text; }
    std::string read(const std::string& name) const {
        std::ifstream file(base / name, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    // Everything below, a line each: name, mode, link or content.
    std::string tree(const std::string& below = "") const {
        std::set<std::string> lines;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(base / below)) {
            struct stat what {};
            lstat(entry.path().c_str(), &what);
            std::string line = entry.path().lexically_relative(base).string() + " " + std::to_string(what.st_mode);
            if (S_ISLNK(what.st_mode)) line += " -> " + std::filesystem::read_symlink(entry.path()).string();
            if (S_ISREG(what.st_mode)) line += " = " + read(entry.path().lexically_relative(base).string());
            lines.insert(line);
        }
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        return text;
    }

    std::filesystem::path base;
};

struct FileBench : Folders, test_support::TestMulticomputer {
    explicit FileBench(std::size_t nodes = 3, bool with_files = true)
        : TestMulticomputer(topologies::chain(nodes)),
          store(std::make_unique<host_files::HostFiles>((base / "allowed").string())) {
        if (with_files) box.host_services().files = store.get();
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    // Lets a process of that node do this, and waits for its end.
    void on_node(std::uint16_t node, const std::function<void(Api&)>& code) {
        bool over = false;
        user(node, [&](Api& api) {
            code(api);
            over = true;
        });
        EXPECT_TRUE(run_until([&] { return over; }, box.now() + SimTime::s(10'000))) << "it hangs";
    }
    std::string folder() const { return "allowed"; }

    std::unique_ptr<host_files::HostFiles> store;
};

// The text of a file from the descriptor's offset on.
inline std::string read_text(Api& api, std::int32_t descriptor, std::size_t most = 100'000) {
    std::vector<std::byte> room(most);
    const std::int32_t got = trollius_os::rfread(api, descriptor, room);
    if (got < 0) return "error " + std::to_string(-got);
    return {reinterpret_cast<const char*>(room.data()), static_cast<std::size_t>(got)};
}

}  // namespace file_test
