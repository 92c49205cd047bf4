// LoadedProgram: a user's program in C or C++, built as a loadable module with the support code of farm_programs/support. A
// ProgramProcess is one process that runs its functions. It has its own globals and stack, and can touch only its node's memory
// (docs/formats/farm_program.md).
//
// Single-threaded. A call of trek.h costs two stack switches, about 20 ns. A process switch costs a copy of the module's
// writable data, and two calls of mprotect when the node changes (docs/results/performance.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farm_programs/environment.hpp>
#include <farm_programs/program_costs.hpp>

namespace farm_programs {

// The functions that a program's author writes.
enum class Function : std::uint8_t { InitMaster, DataGenerator, Compute, ResultReceiver, Split, Join };
inline constexpr std::size_t functions = 6;
const char* function_name(Function function);  // "init_master", ...

// One call of a function.
struct Call {
    Function function = Function::Compute;
    trek_kernel::TaskIdentity task = {};  // for compute_fn, split_fn, join_fn
    std::span<const std::byte> body = {};
    std::span<const trek_kernel::Bytes> parts = {};  // for join_fn: the sub-results
    std::size_t degree = 1;                          // for split_fn and join_fn
};
// The result of one call.
struct CallResult {
    std::vector<trek_kernel::Bytes> made;  // none or one from return_result(); one from each sub_task()
};

class ProgramProcess;

// Call this in a forked process that continues to run programs. A fork inherits no timers, and one of them detects endless
// functions.
void watch_after_fork();

class LoadedProgram {
public:
    // Throws vocabulary::RequestError when the module cannot be loaded, lacks a function or was built for another version. The
    // error names the reason.
    LoadedProgram(const std::string& path, ProgramCosts costs);
    ~LoadedProgram();
    LoadedProgram(const LoadedProgram&) = delete;
    LoadedProgram& operator=(const LoadedProgram&) = delete;

    bool has(Function function) const;
    const std::string& path() const;
    const ProgramCosts& costs() const;
    std::size_t data_bytes() const;  // size of the globals; every process has a copy
    // Charges and number of runs of a function so far, over all processes.
    const ChargedSum& charged(Function function) const;

    // The globals start with the program's initial values, or with the present values of `like`. With `like` on the same node,
    // both processes share a heap. The process lives as long as the program.
    ProgramProcess& create_process(vocabulary::NodeId node, const ProgramProcess* like = nullptr);

    struct Module;

private:
    std::unique_ptr<Module> module_;
};

class ProgramProcess {
public:
    struct State;
    explicit ProgramProcess(std::unique_ptr<State> state);
    ~ProgramProcess();

    // Runs the function to its end. Rethrows exceptions of `environment`, and throws trek_kernel::ProcessEnds when the program
    // ended the process itself. The function's stack is then abandoned, and the process can be called again.
    CallResult run(const Call& call, Environment& environment);

private:
    friend class LoadedProgram;
    std::unique_ptr<State> state_;
};

}  // namespace farm_programs
