// Private parts of LoadedProgram and ProgramProcess, shared by their source files.
#pragma once

#include <array>
#include <map>

#include <farm_programs/loaded_program.hpp>

#include "fault_catcher.hpp"
#include "user_memory.hpp"
#include "user_stack.hpp"

struct trek_support;
struct trek_support_table;

namespace farm_programs {

using trek_kernel::Bytes;
using vocabulary::Cycles;

// Writable data of a module: its globals, the memory of its static constructors, and its thread-local variables. The last
// include the state of an exception in handling.
struct Globals {
    Bytes data, startup, thread;
};

struct LoadedProgram::Module {
    std::string path;
    ProgramCosts costs;
    void* handle = nullptr;
    std::array<void*, functions> function{};
    // It lies among the program's own data, where a wild pointer may change it. `intact` is the host's trusted copy while the
    // program runs, except for budget and frame.
    trek_support* support = nullptr;
    std::unique_ptr<trek_support> intact;
    std::uintptr_t load_address = 0, text_begin = 0, text_end = 0;
    std::byte* data = nullptr;  // writable data
    std::size_t data_bytes = 0;
    char* startup_room = nullptr;  // memory for its static constructors
    std::byte* thread_data = nullptr;
    std::size_t thread_bytes = 0;
    std::map<std::vector<std::uintptr_t>, std::string> places;  // cached answers of where()
    std::vector<std::uint16_t> weights;                         // weights of its blocks, by address
    Globals pristine;
    UserMemory memory;
    std::vector<std::unique_ptr<ProgramProcess>> processes;
    ProgramProcess::State* active = nullptr;  // the process whose globals are in place
    std::array<ChargedSum, functions> charged{};

    ~Module();
    void load();
    void open();  // loads the module and runs its static constructors
    void find_functions();
    void find_segments();
    void construct();
    void take_weights();
    std::string where(const std::vector<std::uintptr_t>& candidates);
    std::string where_now(const UserStack& stack);  // the line of the code on `stack`
    bool repair();                                  // true: it repaired something
    std::int64_t budget() const;
    Globals current_globals() const;
    void put(const Globals& globals);
    void activate(ProgramProcess::State& process);
    std::int64_t piece() const;  // estimated cycles between two checks of the counter
    Cycles in_external_memory(std::int64_t cycles) const { return Cycles(cycles * costs.memory_percent / 100); }
};

struct ProgramProcess::State {
    State(LoadedProgram::Module& module, vocabulary::NodeId where, Globals globals);

    LoadedProgram::Module& program;
    vocabulary::NodeId node;
    Globals saved;
    UserStack stack;
    std::string unfinished_line;  // printed so far, without a line feed

    // State of the current call.
    const Call* call = nullptr;
    Environment* environment = nullptr;
    CallResult result;
    const void* task = nullptr;                                // the function's task
    std::vector<std::pair<const void*, std::uint32_t>> parts;  // the function's sub-results
    std::vector<void*> lent;                                   // heap blocks that hold them
    void* got = nullptr;                                       // the last block from get_result()
    trek_kernel::TaskIdentity got_identity;
    Cycles cycles;                // charged by the call
    std::int64_t unnoticed = 0;   // estimated cycles since the last charge
    std::int64_t looks_at = 0;    // value of `unnoticed` for the next check for an endless loop
    std::uint64_t looked_us = 0;  // the node's clock at the last such check
    Bytes received;               // received by a call; not on the stack, which must not change while the function waits
    bool ended = false;           // the program ended the process itself
    bool knows_classes = false;   // answer to trek_monitor(), like `received`
    bool damage = false;          // the program has written into the support code's data
    unsigned refusals = 0;        // calls for things that a node does not have
    int error = 0;                // the process's errno

    static State* current;

    CallResult run(const Call& its_call, Environment& its_environment);
    static FaultReport fault_of(const UserStack& stack);
    void enter();
    void prepare();
    void finish();
    // For either stack. If the host refuses memory, the error is thrown on the caller's stack.
    std::byte* allocate(NodeHeap& heap, std::size_t bytes, std::size_t alignment);
    std::byte* lend(std::span<const std::byte> bytes);  // null: no room
    std::byte* lend_or_end(std::span<const std::byte> bytes);
    static std::string no_room(std::size_t bytes);
    static constexpr const char* smaller_messages = "make smaller tasks and results, or fewer parts of a task";
    void take_back(void* block);
    void flush();
    void write(std::string_view text);

    // For the code on the user's stack.
    template <class Action>
    void on_caller(Action action) {
        settle_counter();
        const std::function<void()> what = std::ref(action);
        stack.on_caller(what);
    }
    void settle_counter();
    void charge(Cycles amount);  // on the caller's stack
    void spent();
    void look();
    // Counts a call without modelled time as `about` estimated cycles.
    void notice(std::int64_t about) {
        if (program.costs.source == CostSource::Estimated) return;
        unnoticed += about;
        if (unnoticed >= looks_at) look();
    }
    void require_room(const void* stack_pointer);
    bool in(Function a, Function b) const { return call->function == a || call->function == b; }
    void require(bool allowed, const char* what, const char* where);
    Bytes copy_message(const char* what, const void* data, std::size_t bytes);
    std::string owner_of(std::uintptr_t address) const;
    void look_for_pointers(const char* what, std::span<const std::byte> bytes);

    Diagnosis diagnosis(Problem problem, std::string what, std::string advice) const;
    // Reports a problem; the function goes on.
    void tell(Problem problem, std::string what, std::string advice, const char* outcome = "");
    [[noreturn]] void stop(Problem problem, std::string what, std::string advice);
    bool refuse(std::string what, std::string advice);
    void tell_fault(const FaultReport& fault);
};

// An error of a static constructor, before any process exists.
struct StartedConstructors {
    static inline std::string complaint;
};
std::string fault_name(const FaultReport& fault, const UserStack& stack);  // "writes address 0x0, near the null pointer"
std::vector<std::uintptr_t> code_of(const FaultReport& fault);             // possible places of the fault, innermost first
// FaultCatcher::Tell
bool tell_system_call(const SystemCall& call, Verdict verdict);

// The functions that the module's support code calls; they act on State::current.
const trek_support_table& call_table();

}  // namespace farm_programs
