// LoadedProgram: a user's program in C or C++, built as a loadable module with the support code of farm_programs/support. A
// ProgramProcess is one process that runs its functions: with globals of its own, on a stack of its own, with memory of its
// node only. docs/formats/farm_program.md.
//
// One thread. Cost of a call of trek.h: two switches of stacks, about 20 ns; of a change of process: a copy of the module's
// writable data, and two calls of mprotect when the node changes (docs/program_costs.md).
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

// What a program writes.
enum class Function : std::uint8_t { InitMaster, DataGenerator, Compute, ResultReceiver, Split, Join };
inline constexpr std::size_t functions = 6;
const char* function_name(Function function);  // "init_master", ...

// One call of a function.
struct Call {
    Function function = Function::Compute;
    trek_kernel::TaskIdentity task = {};  // of compute_fn, split_fn, join_fn
    std::span<const std::byte> body = {};
    std::span<const trek_kernel::Bytes> parts = {};  // of join_fn: the sub-results
    std::size_t degree = 1;                          // of split_fn and join_fn
};
// What came of it.
struct CallResult {
    std::vector<trek_kernel::Bytes> made;  // by return_result(): none or one; by sub_task(): as often as it was called
};

class ProgramProcess;

// To be called by a forked process in which programs go on: it has none of its parent's timers, and one of them finds functions
// that do not end.
void watch_after_fork();

class LoadedProgram {
public:
    // Throws std::runtime_error when the module cannot be loaded, lacks a function or was built for another version; says
    // which.
    LoadedProgram(const std::string& path, ProgramCosts costs);
    ~LoadedProgram();
    LoadedProgram(const LoadedProgram&) = delete;
    LoadedProgram& operator=(const LoadedProgram&) = delete;

    bool has(Function function) const;
    const std::string& path() const;
    const ProgramCosts& costs() const;
    std::size_t data_bytes() const;  // of the globals, which every process has of its own
    // By function: what was charged so far and how often it ran, over all processes.
    const ChargedSum& charged(Function function) const;

    // With the program's own initial values of the globals, or with those that `like` has now; both then share a heap when
    // their node is the same. Lives as long as the program.
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
    // process itself; what was on the function's stack is then abandoned, and the process can be called again.
    CallResult run(const Call& call, Environment& environment);

private:
    friend class LoadedProgram;
    std::unique_ptr<State> state_;
};

}  // namespace farm_programs
