#include <farm_programs/sequential.hpp>

#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp
#include <string.h>  // NOLINT(modernize-deprecated-headers): strsignal
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <vector>

#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>

namespace farm_programs {
namespace {

namespace fs = std::filesystem;
using user_programs::content_of;
using user_programs::write_content;

// An empty folder for the files that the program saves; removed with this object.
class OwnFolder {
public:
    OwnFolder() {
        std::error_code error;
        const fs::path place = fs::temp_directory_path(error);
        if (error) throw vocabulary::HostError("there is no folder for temporary files; set TMPDIR to an existing folder");
        std::string name = (place / "magicwire_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw vocabulary::HostError("no folder can be made in " + place.string() + "; set TMPDIR to a writable folder");
        path_ = name;
    }
    ~OwnFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// While this object exists, signals that would end this process are only noted; afterwards they take their usual effect. Before
// that the running program is ended and the folders are removed.
class HeldSignals {
public:
    HeldSignals() {
        caught = 0;
        struct sigaction action {};
        action.sa_handler = [](int number) { caught = number; };
        for (std::size_t i = 0; i < held.size(); ++i) {
            sigaction(held[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) sigaction(held[i], &action, nullptr);
        }
    }
    ~HeldSignals() {
        for (std::size_t i = 0; i < held.size(); ++i) sigaction(held[i], &before_[i], nullptr);
        if (caught != 0) std::raise(caught);
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    static bool came() { return caught != 0; }

private:
    static constexpr std::array<int, 3> held = {SIGINT, SIGTERM, SIGHUP};
    inline static volatile std::sig_atomic_t caught = 0;
    std::array<struct sigaction, held.size()> before_{};
};

struct Streams {
    std::string folder, in, out, error;
};

void limit(int resource, rlim_t soft, rlim_t hard) {
    const rlimit both{soft, hard};
    setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// Runs in the new process; nothing here may allocate.
[[noreturn]] void become(char* const* command, const Streams& streams, pid_t parent) {
    constexpr rlim_t seconds_of_constructors = 10, most_file = 1'000'000'000, most_memory = rlim_t{16} << 30;
    const auto lead = [](const std::string& name, int flags, int to) {
        const int file = open(name.c_str(), flags, 0600);
        if (file < 0 || dup2(file, to) < 0) _exit(127);
        close(file);
    };
    // A group of its own, so that its own children can be ended with it. It also ends when this process does.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_CPU, seconds_of_constructors, RLIM_INFINITY);
    rlimit file{};
    getrlimit(RLIMIT_FSIZE, &file);
    limit(RLIMIT_FSIZE, std::min(most_file, file.rlim_max), std::min(most_file, file.rlim_max));  // the caller's may be lower
    limit(RLIMIT_AS, most_memory, most_memory);
    lead(streams.in, O_RDONLY, 0);
    lead(streams.out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    lead(streams.error, O_WRONLY | O_CREAT | O_TRUNC, 2);
    if (chdir(streams.folder.c_str()) == 0) execv(command[0], command);
    _exit(127);
}

// Returns its wait status.
int run_program(std::vector<std::string> command, const Streams& streams) {
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) throw vocabulary::HostError("this computer can start no more processes; end others and try again");
    if (child == 0) become(words.data(), streams, parent);
    setpgid(child, child);
    int status = 0;
    // The loop polls, because a signal just before a wait would be missed.
    while (waitpid(child, &status, WNOHANG) != child) {
        if (HeldSignals::came()) kill(-child, SIGKILL);
        const timespec pause{0, 2'000'000};
        nanosleep(&pause, nullptr);
    }
    kill(-child, SIGKILL);  // processes that it may have left
    return status;
}

// A program that ended without reporting a reason.
std::string end_without_words(int status) {
    const std::string before = " before its functions began; look at the constructors of global objects";
    if (HeldSignals::came()) return "the run was interrupted";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return "the program computed for more than 10 s" + before;
    if (WIFSIGNALED(status)) return std::string("the program was stopped (") + strsignal(WTERMSIG(status)) + ")" + before;
    if (WEXITSTATUS(status) == 127)
        return "the program could not be started; build it again in a folder that allows that, with --build";
    return "the program ended itself (exit)" + before;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string first_other_line(const std::vector<std::string>& sequential, const std::vector<std::string>& farm) {
    std::size_t line = 0;
    while (line < sequential.size() && line < farm.size() && sequential[line] == farm[line]) ++line;
    const auto shown = [&](const std::vector<std::string>& lines) {
        return line < lines.size() ? "'" + lines[line] + "'" : std::string("nothing");
    };
    return "line " + std::to_string(line + 1) + " is " + shown(farm) + ", sequentially " + shown(sequential);
}

bool same_in_any_order(std::vector<std::string> a, std::vector<std::string> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
}

// The machine decides the order of results, so a different order of lines alone is no difference.
std::string text_difference(const std::string& sequential, const std::string& farm) {
    const std::vector<std::string> a = lines_of(sequential), b = lines_of(farm);
    if (same_in_any_order(a, b)) return {};
    return "the printed text differs: " + first_other_line(a, b) + "\n";
}

std::string file_difference(const std::string& name, const std::string& sequential, const std::string& farm) {
    if (sequential == farm) return {};
    const std::size_t shorter = std::min(sequential.size(), farm.size());
    std::size_t at = 0, different = std::max(sequential.size(), farm.size()) - shorter;
    for (std::size_t i = shorter; i-- > 0;) {
        if (sequential[i] == farm[i]) continue;
        at = i;
        ++different;
    }
    if (different == std::max(sequential.size(), farm.size()) - shorter) at = shorter;
    return "file '" + name + "' differs in " + std::to_string(different) + " bytes, first at byte " + std::to_string(at) +
           " (" + std::to_string(farm.size()) + " bytes, sequentially " + std::to_string(sequential.size()) + ")\n";
}

}  // namespace

SequentialRun run_sequentially(const Specification& spec, const Built& built, std::size_t depth, const std::string& input,
                               unsigned seconds) {
    const HeldSignals held;  // before the folders: it is destroyed after them
    const OwnFolder folder, streams;
    const fs::path printed = streams.path() / "printed", said = streams.path() / "said", read = streams.path() / "read";
    write_content(read.string(), input);
    // Messages of the tools in the C locale, whatever the user's language.
    const int status =
        run_program({"/usr/bin/env", "LC_ALL=C", fs::absolute(built.sequential).string(), std::to_string(spec.farm.tasks),
                     std::to_string(spec.farm.degree), std::to_string(depth), std::to_string(seconds)},
                    {folder.path().string(), read.string(), printed.string(), said.string()});
    SequentialRun run;
    run.output.text = content_of(printed.string());
    run.good = status == 0;
    if (!run.good) run.problem = content_of(said.string());
    while (run.problem.ends_with('\n')) run.problem.pop_back();
    if (!run.good && run.problem.empty()) run.problem = end_without_words(status);
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (entry.is_regular_file()) run.output.files[entry.path().filename().string()] = content_of(entry.path().string());
    }
    return run;
}

std::string other_order(const ProgramOutput& sequential, const ProgramOutput& farm) {
    const std::vector<std::string> a = lines_of(sequential.text), b = lines_of(farm.text);
    return a == b || !same_in_any_order(a, b) ? std::string() : first_other_line(a, b);
}

std::string differences(const ProgramOutput& sequential, const ProgramOutput& farm) {
    std::string text = text_difference(sequential.text, farm.text);
    for (const auto& [name, content] : sequential.files) {
        const auto other = farm.files.find(name);
        text +=
            other == farm.files.end() ? "file '" + name + "' was not saved\n" : file_difference(name, content, other->second);
    }
    for (const auto& [name, content] : farm.files) {
        if (!sequential.files.contains(name)) text += "file '" + name + "' was saved, and sequentially it is not\n";
    }
    return text;
}

}  // namespace farm_programs
