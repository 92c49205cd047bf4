// LoadedProgram: a user's program in C or C++, built as a loadable module with the support code of user_programs/support. It
// knows nothing of what the program does: a ProgramKind brings its functions and its own calls. The kinds are farm_programs and
// node_programs. A ProgramProcess (program_process.hpp) is one process that runs its functions.
//
// Single-threaded. A call of Magicwire costs two stack switches, about 20 ns. A process switch costs a copy of the module's
// writable data, and two calls of mprotect when the node changes (docs/results/performance.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <user_programs/program_costs.hpp>

namespace user_programs {

// The part of a program that its kind brings. All texts and lists are literals.
struct ProgramKind {
    struct Entry {
        const char* name;       // the function's name in C
        bool may_miss = false;  // false: a module without it is refused
    };
    std::span<const Entry> entries;
    const void* calls;  // functions for its own part of the support code (program_support.h)
    // Words of errors and diagnoses.
    const char* how_to_build;             // follows "build it with "
    const char* what_it_needs;            // follows "the program has no function main(); "
    const char* instead_of_ending;        // advice against exit(), abort()
    const char* one_thread;               // advice against locks and threads
    const char* instead_of_constructing;  // what an author does about a constructor that fails
    const char* manual;                   // the page that says what a node has
};

class ProgramProcess;
class UserMemory;

// Fenced: a process reaches the heap of its own node only. Open: it reaches those of all nodes, and a switch between nodes
// costs nothing. A fence costs two changes of protection at each switch: 2 us on a bare machine, up to 100 us in a virtual one.
enum class Heaps : std::uint8_t { Fenced, Open };

// Memory of processes of several programs. Without it, a program has memory of its own, at addresses that differ from those of
// every other program.
struct SharedMemory {
    // `stacks`: most processes of a node at a time. `most_ram`: bytes of the node that has most. Throws
    // vocabulary::RequestError when three such memories exist already.
    explicit SharedMemory(std::size_t stacks, Heaps heaps = Heaps::Fenced, std::uint64_t most_ram = 0);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    std::unique_ptr<UserMemory> memory;
};

// Call this in a forked process that continues to run programs. A fork inherits no timers, and one of them detects endless
// functions.
void watch_after_fork();

class LoadedProgram {
public:
    // Throws vocabulary::RequestError when the module cannot be loaded, lacks a function or was built for another version. The
    // error names the reason. `kind` and `shared` must outlive it.
    LoadedProgram(const std::string& path, ProgramCosts costs, const ProgramKind& kind, SharedMemory* shared = nullptr);
    // `path`: a copy of the file of `like`, of the same kind and costs. Its constructors are not tried again, and its costs are
    // those of `like`.
    LoadedProgram(const std::string& path, const LoadedProgram& like, SharedMemory& shared);
    ~LoadedProgram();
    LoadedProgram(const LoadedProgram&) = delete;
    LoadedProgram& operator=(const LoadedProgram&) = delete;

    bool has(std::size_t entry) const;  // index: ProgramKind::entries
    const std::string& path() const { return path_; }
    const ProgramCosts& costs() const { return costs_; }
    const ProgramKind& kind() const { return kind_; }
    std::size_t data_bytes() const;     // size of the globals; every process has a copy
    std::size_t process_bytes() const;  // the same with variables of the thread and what its constructors have allocated
    void* address(std::size_t entry) const;
    const void* variable(const char* name) const;  // a global that its map of symbols exports; null: it has none
    // The line of the user's source that made a call: "ring.c:12". `return_address`: of the call, in this copy of the module.
    // Empty: no line is known. Cost: a run of addr2line for each new address.
    std::string line_of(std::uintptr_t return_address) const;
    // Where this copy of the module lies: what its file places at 0, its code, and the thread-local variables in place.
    struct Addresses {
        std::uintptr_t load = 0, code = 0, code_end = 0, thread = 0;
    };
    Addresses addresses() const;
    bool calls_setjmp() const;  // or sigsetjmp()
    // Bytes of code and initial data, which a loader sends to a node.
    std::size_t loaded_bytes() const;
    std::vector<std::byte> loaded_content() const;  // these bytes, read from the file
    // Charges and number of runs of a function so far, over all processes.
    const ChargedSum& charged(std::size_t entry) const { return charged_[entry]; }

    struct Module;

private:
    friend class ProgramProcess;
    std::string path_;
    ProgramCosts costs_;
    const ProgramKind& kind_;
    std::vector<ChargedSum> charged_;
    std::unique_ptr<Module> module_;
};

}  // namespace user_programs
