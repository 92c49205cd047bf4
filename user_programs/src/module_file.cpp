#include "module_file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <user_programs/system_fence.hpp>
#include <user_programs/tools.hpp>
#include "fault_catcher.hpp"
#include "protect.hpp"

#include <vocabulary/errors.hpp>

namespace user_programs {
namespace {

// Limits of processor time, so that a busy host does not matter, and of clock time, for code that waits.
constexpr unsigned most_processor_seconds = 5, seconds_to_tell = 5, most_seconds = 60;
constexpr std::size_t longest_complaint = 2048;

[[noreturn]] void open_and_end(const std::function<void()>& open_it, int pipe) {
    for (const int number : {SIGALRM, SIGTRAP, SIGPIPE}) std::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    SystemFence::after_fork();
    FaultCatcher::catch_too(SIGXCPU);
    const rlimit time{most_processor_seconds, most_processor_seconds + seconds_to_tell}, no_core{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(most_seconds);
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, file);
    try {
        open_it();
    } catch (const std::exception& found) {
        const std::string_view what = found.what();
        const ssize_t written = write(pipe, what.data(), std::min(what.size(), longest_complaint));
        _exit(written > 0 ? 1 : 2);
    }
    _exit(0);
}

std::string system_error() {
    return std::strerror(errno);
}

std::string read_all(int pipe) {
    std::string text;
    std::array<char, longest_complaint> part{};
    while (text.size() < longest_complaint) {
        const ssize_t got = read(pipe, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

void nothing() {}

// Opens memory that the loader has made read-only after relocation.
void make_writable(std::uintptr_t at, std::size_t bytes) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = at / page * page;
    protect(reinterpret_cast<void*>(begin), at + bytes - begin, Access::ReadWrite);  // NOLINT(performance-no-int-to-ptr)
}

template <class Part>
std::vector<Part> parts_at(const std::string& file, std::uint64_t at, std::uint64_t bytes) {
    if (at > file.size() || bytes > file.size() - at) return {};
    std::vector<Part> parts(bytes / sizeof(Part));
    if (!parts.empty()) std::memcpy(parts.data(), file.data() + at, parts.size() * sizeof(Part));
    return parts;
}

// The file's sections of the given kinds.
std::vector<ElfW(Shdr)> sections(const std::string& file, std::initializer_list<ElfW(Word)> kinds) {
    const auto header = parts_at<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
    if (header.empty()) return {};
    auto all = parts_at<ElfW(Shdr)>(file, header[0].e_shoff, header[0].e_shnum * sizeof(ElfW(Shdr)));
    std::erase_if(all, [&](const ElfW(Shdr) & s) { return std::find(kinds.begin(), kinds.end(), s.sh_type) == kinds.end(); });
    return all;
}

// Finds a function whose code another function of the program chooses during loading. Returns its name if the file has it.
std::optional<std::string> chosen_by_a_function(const std::string& file) {
    const auto header = parts_at<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
    for (const ElfW(Shdr) & section : sections(file, {SHT_SYMTAB, SHT_DYNSYM})) {
        for (const auto& symbol : parts_at<ElfW(Sym)>(file, section.sh_offset, section.sh_size)) {
            if (ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC || symbol.st_shndx == SHN_UNDEF) continue;
            const auto texts = parts_at<ElfW(Shdr)>(file, header[0].e_shoff + section.sh_link * sizeof section, sizeof section);
            const std::size_t at = texts.empty() ? file.size() : texts[0].sh_offset + symbol.st_name;
            return at < file.size() ? std::string(file.c_str() + at) : std::string();
        }
    }
    for (const ElfW(Shdr) & section : sections(file, {SHT_RELA})) {
        const auto all = parts_at<ElfW(Rela)>(file, section.sh_offset, section.sh_size);
        if (std::any_of(all.begin(), all.end(), [](const auto& r) { return ELF64_R_TYPE(r.r_info) == R_X86_64_IRELATIVE; }))
            return "";
    }
    return {};
}

}  // namespace

std::string constructors_fail(const LoadedProgram& program, const std::string& how) {
    return "program " + program.path() + " cannot be loaded: a constructor of its static objects " + how +
           "; it runs before any node exists, so " + program.kind().instead_of_constructing;
}

void try_to_open(const LoadedProgram& program, const std::function<void()>& open_it) {
    const std::string& path = program.path();
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
        throw vocabulary::HostError("no pipe can be made to try program " + path + ": " + system_error());
    const pid_t child = fork();
    if (child == 0) open_and_end(open_it, ends[1]);
    close(ends[1]);
    const std::string complaint = child < 0 ? system_error() : read_all(ends[0]);
    close(ends[0]);
    if (child < 0) throw vocabulary::HostError("no process can be made to try program " + path + ": " + complaint);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            throw vocabulary::HostError("the trial of program " + path + " cannot be waited for: " + system_error());
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (!complaint.empty()) throw vocabulary::RequestError(complaint);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool endless = signal == SIGXCPU || signal == SIGKILL || signal == SIGALRM;
    throw vocabulary::RequestError(constructors_fail(program, endless ? "does not end" : "fails"));
}

void refuse_functions_of_the_loader(const std::string& path) {
    const auto name = chosen_by_a_function(content_of(path));
    if (!name) return;
    throw vocabulary::RequestError(
        "program " + path + " cannot be loaded: " + (name->empty() ? "a function of it" : "its function " + *name + "()") +
        " is chosen when it is loaded, before any node exists; remove the attributes ifunc and target_clones");
}

std::vector<std::byte> loaded_parts(const std::string& path) {
    const std::string file = content_of(path);
    const auto header = parts_at<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
    std::vector<std::byte> bytes;
    if (header.empty()) return bytes;
    for (const auto& part : parts_at<ElfW(Phdr)>(file, header[0].e_phoff, header[0].e_phnum * sizeof(ElfW(Phdr)))) {
        if (part.p_type != PT_LOAD) continue;
        const auto content = parts_at<std::byte>(file, part.p_offset, part.p_filesz);
        bytes.insert(bytes.end(), content.begin(), content.end());
    }
    return bytes;
}

void drop_static_destructors(void* handle) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        throw vocabulary::HostError(std::string("the loader does not say where a program lies: ") + dlerror());
    std::uintptr_t list = 0;
    std::size_t bytes = 0;
    for (ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_FINI_ARRAY) list = map->l_addr + entry->d_un.d_ptr;
        if (entry->d_tag == DT_FINI_ARRAYSZ) bytes = entry->d_un.d_val;
        if (entry->d_tag != DT_FINI) continue;
        make_writable(reinterpret_cast<std::uintptr_t>(entry), sizeof *entry);
        entry->d_un.d_ptr = reinterpret_cast<std::uintptr_t>(&nothing) - map->l_addr;  // the loader adds l_addr to it
    }
    if (bytes == 0 || list == 0) return;
    make_writable(list, bytes);
    auto* functions = reinterpret_cast<void (**)()>(list);  // NOLINT(performance-no-int-to-ptr)
    for (std::size_t i = 0; i < bytes / sizeof *functions; ++i) functions[i] = nothing;
}

}  // namespace user_programs
