#include "runs/point_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>

namespace cli {
namespace {

std::string place() {
    const char* given = std::getenv("TMPDIR");
    if (given != nullptr && *given != '\0') return given;
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

// "magicwire.point.HOST.": several hosts may share the place. The number of the starting process follows.
std::string beginning() {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return fmt::format("magicwire.point.{}.", host);
}

bool is_gone(pid_t process) {
    return kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

PointFolder::PointFolder() : path_(fmt::format("{}/{}{}.XXXXXX", place(), beginning(), getppid())) {
    if (mkdtemp(path_.data()) == nullptr)
        vocabulary::throw_file_error(path_, errno,
                                     fmt::format("cannot be made: {}; name another folder by TMPDIR", std::strerror(errno)));
}

PointFolder::~PointFolder() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
}

std::string without_point_folders(const std::string& text) {
    const std::string begin = place() + '/' + beginning();
    std::string made;
    std::size_t at = 0;
    for (std::size_t found = text.find(begin); found != std::string::npos; found = text.find(begin, at)) {
        made += text.substr(at, found - at);
        const std::size_t end = text.find_first_of("/ \n'\"", found + begin.size());
        at = end == std::string::npos ? text.size() : end + (text[end] == '/' ? 1 : 0);
    }
    return made + text.substr(at);
}

void clear_point_folders() {
    const std::string begin = beginning();
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(place(), failed)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(begin)) continue;
        pid_t owner = 0;
        std::from_chars(name.data() + begin.size(), name.data() + name.size(), owner);
        if (owner == getpid() || (owner > 0 && is_gone(owner))) std::filesystem::remove_all(entry.path(), failed);
    }
}

}  // namespace cli
