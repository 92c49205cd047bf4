#include <real_mpi/launch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "linked_mpi.hpp"

namespace real_mpi {
namespace {

namespace fs = std::filesystem;

// As mpirun finds it: by its path, else in PATH, else here.
std::string path_of(const std::string& word) {
    std::error_code ignored;
    if (word.find('/') != std::string::npos) return fs::is_regular_file(word, ignored) ? word : "";
    const char* const variable = std::getenv("PATH");
    std::string folders = variable == nullptr ? "" : variable;
    folders += ":.";
    for (std::size_t at = 0; at <= folders.size();) {
        const std::size_t colon = std::min(folders.find(':', at), folders.size());
        const fs::path path = fs::path(folders.substr(at, colon - at)) / word;
        if (fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0) return path.string();
        at = colon + 1;
    }
    return "";
}

std::optional<std::size_t> ranks_of(const std::vector<std::string>& words, std::size_t program) {
    for (std::size_t i = 1; i + 1 < program; ++i) {
        if (words[i] != "-np" && words[i] != "-n" && words[i] != "-c" && words[i] != "--np" && words[i] != "--n") continue;
        std::size_t ranks = 0;
        const std::string& digits = words[i + 1];
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ranks);
        if (error == std::errc{} && end == digits.data() + digits.size()) return ranks;
    }
    return {};
}

// Several programs in one run: "mpirun -np 1 ./a : -np 2 ./b".
bool has_parts(const std::vector<std::string>& words, std::size_t program) {
    for (std::size_t i = program + 1; i < words.size(); ++i) {
        if (words[i] == ":") return true;
    }
    return false;
}

volatile std::sig_atomic_t terminated = 0;

// While a command runs: it gets the interrupts of the terminal itself, and its end is waited for.
class Signals {
public:
    Signals() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGINT, &ignore, &interrupt_);
        sigaction(SIGQUIT, &ignore, &quit_);
        struct sigaction note {};
        note.sa_handler = [](int) { terminated = 1; };
        sigaction(SIGTERM, &note, &terminate_);
    }
    ~Signals() { restore(); }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    void restore() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGQUIT, &quit_, nullptr);
        sigaction(SIGTERM, &terminate_, nullptr);
    }

private:
    struct sigaction interrupt_ {
    }, quit_{}, terminate_{};
};

Ended wait_for(pid_t child, double limit_s) {
    using clock = std::chrono::steady_clock;
    Ended ended;
    const auto began = clock::now();
    auto told = began;
    bool ends = false;
    for (int status = 0;;) {
        const pid_t found = waitpid(child, &status, limit_s > 0 || ends ? WNOHANG : 0);
        if (found == child) {
            ended.killed = ended.killed || WIFSIGNALED(status);
            ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            return ended;
        }
        if (found < 0 && errno != EINTR) throw vocabulary::HostError(std::string("mpirun is lost: ") + std::strerror(errno));
        const auto now = clock::now();
        const bool late = limit_s > 0 && std::chrono::duration<double>(now - began).count() > limit_s;
        if ((late || terminated != 0) && !ends) {
            ended.too_late = late;
            ends = ended.killed = true;
            told = now;
            kill(child, SIGTERM);
        }
        if (ends && std::chrono::duration<double>(now - told).count() > 5) kill(child, SIGKILL);
        if (found == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
}

}  // namespace

const char* name_of(Mpi mpi) {
    return mpi == Mpi::OpenMpi ? "Open MPI" : "MPICH";
}
const char* file_name_of(Mpi mpi) {
    return mpi == Mpi::OpenMpi ? "openmpi" : "mpich";
}

Command find_program(const std::vector<std::string>& words, std::optional<Mpi> mpi) {
    Command command{.words = words, .program = 0, .path = {}, .mpi = {}, .ranks = {}};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string path = path_of(words[i]);
        if (path.empty()) continue;
        const std::optional<Mpi> found = mpi && (i > 0 || words.size() == 1) && is_program(path) ? mpi : linked_mpi(path);
        if (!found) continue;
        command.program = i;
        command.path = path;
        command.mpi = *found;
        command.ranks = ranks_of(words, i);
        if (has_parts(words, i)) command.ranks.reset();
        return command;
    }
    throw vocabulary::InputError(
        {words.empty() ? "--" : words.front(), 0, 0},
        "none of the words is a program that is linked with Open MPI or MPICH; build it with mpicc, or, if "
        "only a library of it is linked so, give --mpi openmpi or --mpi mpich");
}

tmon_replay::RunIdentity identity_of(const Command& command) {
    tmon_replay::RunIdentity run;
    run.program = command.words[command.program];
    run.program_hash = tmon_replay::hash_of_file(command.path);
    run.ranks = command.ranks.value_or(0);
    run.arguments.assign(command.words.begin() + static_cast<std::ptrdiff_t>(command.program) + 1, command.words.end());
    return run;
}

Ended run(const Command& command, const std::string& library, const std::string& folder, bool replays, double limit_s) {
    std::vector<char*> words;
    for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const char* const others = std::getenv("LD_PRELOAD");
    const std::string preload = others == nullptr || *others == 0 ? library : library + ":" + others;
    terminated = 0;
    Signals signals;
    const pid_t child = fork();
    if (child < 0) throw vocabulary::HostError(std::string("no process for mpirun: ") + std::strerror(errno));
    if (child == 0) {
        signals.restore();
        setenv("LD_PRELOAD", preload.c_str(), 1);
        setenv(REAL_FOLDER_VARIABLE, folder.c_str(), 1);
        if (replays) {
            setenv(REAL_REPLAY_VARIABLE, "1", 1);
        } else {
            unsetenv(REAL_REPLAY_VARIABLE);
        }
        execvp(words[0], words.data());
        const std::string text = "magicwire: '" + command.words[0] + "' cannot be started: " + std::strerror(errno) + "\n";
        if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(71);
        _exit(71);
    }
    const Ended ended = wait_for(child, limit_s);
    end_ranks(folder);
    return ended;
}

}  // namespace real_mpi
