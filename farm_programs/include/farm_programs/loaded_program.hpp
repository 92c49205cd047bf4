// LoadedProgram: a user's program in C or C++, built as a loadable module with the support code of farm_programs/support. A
// ProgramProcess is one process that runs its functions. It has globals and a stack of its own, and the memory of its node
// only. docs/formats/farm_program.md.
//
// One thread. A call of trek.h costs two switches of stacks, about 20 ns. A change of process costs a copy of the module's
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
    std::vector<trek_kernel::Bytes> made;  // return_result() gives none or one; sub_task() gives one each time it is called
};

class ProgramProcess;

// Call this in a forked process in which programs go on. A forked process has none of its parent's timers, and one of them
// finds functions that do not end.
void watch_after_fork();

class LoadedProgram {
public:
    // Throws std::runtime_error when the module cannot be loaded, lacks a function or was built for another version. The error
    // says which.
    LoadedProgram(const std::string& path, ProgramCosts costs);
    ~LoadedProgram();
    LoadedProgram(const LoadedProgram&) = delete;
    LoadedProgram& operator=(const LoadedProgram&) = delete;

    bool has(Function function) const;
    const std::string& path() const;
    const ProgramCosts& costs() const;
    std::size_t data_bytes() const;  // size of the globals, which every process has a copy of
    // How much a function was charged so far and how often it ran, over all processes.
    const ChargedSum& charged(Function function) const;

    // The globals begin with the program's own initial values, or with those that `like` has now. Both processes then share a
    // heap when their node is the same. The process lives as long as the program.
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

    // Runs the function to its end. Throws what `environment` throws, and trek_kernel::ProcessEnds when the program ended the
    // process itself. The contents of the function's stack are then abandoned, and the process can be called again.
    CallResult run(const Call& call, Environment& environment);

private:
    friend class LoadedProgram;
    std::unique_ptr<State> state_;
};

}  // namespace farm_programs
