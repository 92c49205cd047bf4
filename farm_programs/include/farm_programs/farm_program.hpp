// FarmProgram: a user's farm program, loaded. A FarmProcess is one process that runs its functions
// (docs/formats/farm_program.md). A call of trek.h costs the host two stack switches, about 20 ns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <farm_programs/environment.hpp>
#include <user_programs/loaded_program.hpp>
#include <user_programs/program_process.hpp>

namespace farm_programs {

using user_programs::ChargedSum;
using user_programs::CostSource;
using user_programs::Diagnoses;
using user_programs::Diagnosis;
using user_programs::Problem;
using user_programs::ProgramCosts;

// The functions that a program's author writes.
enum class Function : std::uint8_t { InitMaster, DataGenerator, Compute, ResultReceiver, Split, Join };
inline constexpr std::size_t functions = 6;
const char* function_name(Function function);  // "init_master", ...

inline user_programs::TaskNumber number_of(const trek_kernel::TaskIdentity& task) {
    return {task.task, task.subtask};
}

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

class FarmProcess final : public user_programs::ProgramProcess {
public:
    using ProgramProcess::ProgramProcess;

    // Runs the function to its end. Rethrows exceptions of `environment`, and throws trek_kernel::ProcessEnds when the program
    // ended the process itself. The function's stack is then abandoned, and the process can be called again.
    CallResult run(const Call& call, Environment& environment);

    // The calls of trek.h, on the program's stack.
    void do_task(const void* task, std::size_t bytes, int priority);
    unsigned total_tasks();
    const void* get_result(unsigned* bytes);
    unsigned result_task();
    void return_result(const void* result, std::size_t bytes);
    void sub_task(const void* task, std::size_t bytes);
    unsigned split_degree() const { return static_cast<unsigned>(call_->degree); }
    unsigned sub_results();
    const void* sub_result(unsigned index, unsigned* bytes);
    void save(const char* name, const void* data, std::size_t bytes);
    void event(unsigned number, long long value);
    void monitor(const char* classes, int on);

private:
    void enter(void* code) override;
    void describe(Diagnosis& diagnosis) const override;
    void prepare() override;
    vocabulary::Cycles fixed_cost() const override;
    void finish() override;
    [[noreturn]] void exit(int status) override;

    [[gnu::noinline]] void log_call();  // it runs on the program's stack, and shall leave nothing there when no log is kept
    void log_message(flowback_log::Passed passed, trek_kernel::TaskIdentity whose, const void* data, std::size_t bytes);
    std::byte* lend_or_end(std::span<const std::byte> bytes);
    bool in(Function a, Function b) const { return call_->function == a || call_->function == b; }
    void require(bool allowed, const char* what, const char* where);

    const Call* call_ = nullptr;
    Environment* farm_ = nullptr;
    CallResult result_;
    const void* task_ = nullptr;                                // the function's task
    std::vector<std::pair<const void*, std::uint32_t>> parts_;  // the function's sub-results
    void* got_ = nullptr;                                       // the last block from get_result()
    trek_kernel::TaskIdentity got_identity_;
    user_programs::Bytes sent_;     // of do_task(); not on the user's stack, which may be abandoned meanwhile
    trek_kernel::Bytes received_;   // received by a call; not on the stack, which must not change while the function waits
    std::uint32_t tasks_made_ = 0;  // by do_task()
    bool knows_classes_ = false;    // answer to trek_monitor(), like `received_`
};

class FarmProgram {
public:
    // Throws vocabulary::RequestError when the module cannot be loaded, lacks a function or was built for another version. The
    // error names the reason.
    FarmProgram(const std::string& path, ProgramCosts costs);

    bool has(Function function) const { return program_.has(static_cast<std::size_t>(function)); }
    const std::string& path() const { return program_.path(); }
    const ProgramCosts& costs() const { return program_.costs(); }
    std::size_t data_bytes() const { return program_.data_bytes(); }  // size of the globals; every process has a copy
    // Charges and number of runs of a function so far, over all processes.
    const ChargedSum& charged(Function function) const { return program_.charged(static_cast<std::size_t>(function)); }

    // The globals start with the program's initial values, or with the present values of `like`. With `like` on the same node,
    // both processes share a heap. The process lives as long as the program.
    FarmProcess& create_process(vocabulary::NodeId node, const FarmProcess* like = nullptr);

private:
    user_programs::LoadedProgram program_;
    std::vector<std::unique_ptr<FarmProcess>> processes_;
};

}  // namespace farm_programs
