#include <forks/command.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

extern char** environ;

namespace forks {
namespace {

// A file in memory that takes what a program prints.
class Printed {
public:
    Printed() : file_(memfd_create("magicwire.printed", MFD_CLOEXEC)) {
        if (file_ < 0) throw vocabulary::HostError(std::string("the host has no file left: ") + std::strerror(errno));
    }
    ~Printed() { close(file_); }
    Printed(const Printed&) = delete;
    Printed& operator=(const Printed&) = delete;
    int file() const { return file_; }
    std::string text() const {
        struct stat about {};
        std::string all(fstat(file_, &about) == 0 ? static_cast<std::size_t>(about.st_size) : 0, '\0');
        const ssize_t got = pread(file_, all.data(), all.size(), 0);
        all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        while (!all.empty() && all.back() == '\n') all.pop_back();
        return all;
    }

private:
    int file_;
};

}  // namespace

CommandEnd run_command(const std::vector<std::string>& words) {
    const Printed out, err;
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // it only reads them
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.file(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.file(), STDERR_FILENO);
    pid_t child = -1;
    const int failed = posix_spawnp(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    CommandEnd end;
    if (failed == ENOENT || failed == EACCES || failed == ENOTDIR) {
        end.found = false;
        return end;
    }
    if (failed != 0) throw vocabulary::HostError(words.front() + " cannot be started: " + std::strerror(failed));
    const int status = wait_for_child(child);
    end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    end.out = out.text();
    end.err = err.text();
    return end;
}

}  // namespace forks
