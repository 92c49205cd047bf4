#include "module_file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "protect.hpp"

namespace farm_programs {
namespace {

// Of processor time, so that a busy host does not matter; and of the clock, for what waits.
constexpr unsigned most_processor_seconds = 5, most_seconds = 60;

[[noreturn]] void load_and_end(const std::string& path) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU, SIGTRAP}) std::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const rlimit time{most_processor_seconds, most_processor_seconds}, no_core{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(most_seconds);
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, file);
    dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    _exit(0);
}

std::string system_error() {
    return std::strerror(errno);
}

void nothing() {}

}  // namespace

void try_static_constructors(const std::string& path) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process can be made to try program " + path + ": " + system_error());
    if (child == 0) load_and_end(path);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            throw std::runtime_error("the trial of program " + path + " cannot be waited for: " + system_error());
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool endless = signal == SIGXCPU || signal == SIGKILL || signal == SIGALRM;
    throw std::runtime_error("program " + path + " cannot be loaded: a constructor of its static objects " +
                             (endless ? "does not end" : "fails") +
                             "; it runs before there is a node, so let init_master() or compute_fn() do what it does");
}

void drop_static_destructors(void* handle) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        throw std::runtime_error(std::string("the loader does not tell where a program lies: ") + dlerror());
    std::uintptr_t list = 0;
    std::size_t bytes = 0;
    for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_FINI_ARRAY) list = map->l_addr + entry->d_un.d_ptr;
        if (entry->d_tag == DT_FINI_ARRAYSZ) bytes = entry->d_un.d_val;
    }
    if (bytes == 0) return;
    // Among what the loader has made read-only after relocation.
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = list / page * page;
    void* const first = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr): an address of the loader
    protect(first, list + bytes - begin, Access::ReadWrite);
    auto* functions = reinterpret_cast<void (**)()>(list);  // NOLINT(performance-no-int-to-ptr)
    for (std::size_t i = 0; i < bytes / sizeof *functions; ++i) functions[i] = nothing;
}

}  // namespace farm_programs
