#include <tmon/drawing_program.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <tmon/output_file.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon {
namespace {

using vocabulary::InputError;

// A file for the program, gone at the end.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text) {
        std::error_code none;
        const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
        if (none) throw InputError({"TMPDIR", 0, 0}, "names no folder for temporary files; set it to one with room");
        path_ = (folder / "magicwire.XXXXXX").string();
        const int fd = ::mkstemp(path_.data());
        if (fd < 0)
            throw InputError({path_, 0, 0},
                             std::string("cannot be made: ") + std::strerror(errno) + "; set TMPDIR to a folder with room");
        ::close(fd);
        write_text_file(path_, text, Replace::Yes);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { ::unlink(path_.c_str()); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (const auto before = text.rfind('\n'); before != std::string::npos) text.erase(0, before + 1);
    return text;
}

// What waitpid() says, and what the program said last.
std::string reason(int status, const std::string& said) {
    const std::string how = WIFSIGNALED(status) ? std::string("was ended by ") + ::strsignal(WTERMSIG(status))
                                                : "failed with exit code " + std::to_string(WEXITSTATUS(status));
    return said.empty() ? how : how + ": " + last_line(said);
}

std::string with(std::string text, const std::string& name, const std::string& value) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
        text.replace(at, name.size(), value);
    return text;
}

}  // namespace

std::string drawn_by(const DrawingProgram& program, const std::vector<std::string>& arguments, const std::string& input,
                     const std::string& what) {
    const TemporaryFile out(""), messages(""), in(with(input, "{out}", out.path()));
    std::vector<std::string> words{program.name};
    for (const std::string& argument : arguments) words.push_back(with(with(argument, "{in}", in.path()), "{out}", out.path()));
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_t actions;  // what it says is no result of ours
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.path().c_str(), O_WRONLY | O_APPEND, 0);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    const int failed = posix_spawnp(&child, program.name.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    const std::string whose = program.package + "'s program '" + program.name + "' ";
    if (failed != 0)
        throw InputError({what, 0, 0}, whose + "cannot be run: " + std::strerror(failed) + "; install " + program.package +
                                           " (scripts/setup does), or " + program.instead);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const std::string said = read_text_file(messages.path(), "messages");
    if (status != 0) throw InputError({what, 0, 0}, whose + reason(status, said) + "; " + program.instead);
    std::fputs(said.c_str(), stderr);
    return read_text_file(out.path(), "a picture");
}

}  // namespace tmon
