#include <tmon_pictures/drawing_program.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <text/output_file.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_pictures {
namespace {

using vocabulary::InputError;

// A file for the program, deleted at the end.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text) {
        std::error_code none;
        const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
        if (none) throw InputError({"TMPDIR", 0, 0}, "names no folder for temporary files; set it to one with room");
        path_ = (folder / "magicwire.XXXXXX").string();
        const int fd = ::mkstemp(path_.data());
        if (fd < 0)
            vocabulary::throw_file_error(
                path_, errno, std::string("cannot be made: ") + std::strerror(errno) + "; set TMPDIR to a folder with room");
        ::close(fd);
        text::write_text_file(path_, text, text::Replace::Yes);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { ::unlink(path_.c_str()); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// Programs warn before they fail.
std::string last_line(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
    if (const auto before = text.rfind('\n'); before != std::string::npos) text.erase(0, before + 1);
    return text;
}

// The result of waitpid() in words, and the program's last line.
std::string reason(int status, const std::string& said) {
    const std::string how = WIFSIGNALED(status) ? std::string("was ended by ") + ::strsignal(WTERMSIG(status))
                                                : "failed with exit code " + std::to_string(WEXITSTATUS(status));
    const std::string last = last_line(said);
    return last.empty() ? how : how + ": " + last;
}

std::string with(std::string text, const std::string& name, const std::string& value) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
        text.replace(at, name.size(), value);
    return text;
}

// The program's exit status from waitpid(); `failed`: errno when the program could not be started. Both its outputs go into a
// file, since its messages are not part of the result.
int status_of(std::vector<std::string>& words, const std::string& said, int& failed) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said.c_str(), O_WRONLY | O_APPEND, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    failed = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    while (failed == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

std::string drawn_by(const DrawingProgram& program, const std::vector<std::string>& arguments, const std::string& input,
                     const std::string& what) {
    const TemporaryFile out(""), said(""), in(with(input, "{out}", out.path()));
    std::vector<std::string> words{program.name};
    for (const std::string& argument : arguments) words.push_back(with(with(argument, "{in}", in.path()), "{out}", out.path()));
    int failed = 0;
    const int status = status_of(words, said.path(), failed);
    const std::string whose = program.package + "'s program '" + program.name + "' ";
    if (failed != 0)
        throw InputError({what, 0, 0}, whose + "cannot be run: " + std::strerror(failed) + "; install " + program.package +
                                           " (scripts/setup does), or " + program.instead);
    if (status != 0)
        throw InputError({what, 0, 0},
                         whose + reason(status, text::read_text_file(said.path(), "messages")) + "; " + program.instead);
    return text::read_text_file(out.path(), "a picture");
}

}  // namespace tmon_pictures
