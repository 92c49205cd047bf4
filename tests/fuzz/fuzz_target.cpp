#include "fuzz_target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <vocabulary/source_position.hpp>

namespace fuzz {
namespace {

std::vector<Target>& all() {
    static std::vector<Target> targets;
    return targets;
}

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "magicwire_fuzz.XXXXXX").string();
        require(mkdtemp(name.data()) != nullptr, "no folder can be made in the folder for temporary files");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace

Registration::Registration(const char* name, void (*run)(std::string_view)) {
    all().push_back({name, run});
    std::sort(all().begin(), all().end(), [](const Target& a, const Target& b) { return std::string_view(a.name) < b.name; });
}

std::span<const Target> targets() {
    return all();
}

void feed(const Target& target, std::string_view input) {
    try {
        target.run(input);
    } catch (const vocabulary::InputError&) {
        // the one way in which a reader may refuse
    }
}

void require(bool holds, const char* sentence) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", sentence);
    std::abort();
}

void reads_again(const std::function<void()>& read) {
    try {
        read();
    } catch (const vocabulary::InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        require(false, "what was written is refused when it is read again");
    }
}

std::size_t choose(std::string_view& input, std::size_t count) {
    if (input.empty()) return 0;
    const auto first = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    return first % count;
}

std::string_view part(std::string_view& input) {
    constexpr std::string_view line = "---\n";
    std::size_t at = 0;
    while ((at = input.find(line, at)) != std::string_view::npos && at > 0 && input[at - 1] != '\n') ++at;
    const std::string_view before = input.substr(0, at);
    input.remove_prefix(at == std::string_view::npos ? input.size() : at + line.size());
    return before;
}

std::string file(const std::string& name) {
    static const Folder folder;
    return (folder.path() / name).string();
}

std::string put(const std::string& name, std::string_view text) {
    std::string path = file(name);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(fd >= 0, "a file for a reader cannot be made");
    const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    require(written, "a file for a reader cannot be written");
    return path;
}

}  // namespace fuzz
