// Private parts of LoadedProgram and ProgramProcess, shared by their source files.
#pragma once

#include <map>
#include <memory>

#include <user_programs/loaded_program.hpp>
#include <user_programs/program_process.hpp>

#include "fault_catcher.hpp"
#include "user_memory.hpp"
#include "user_stack.hpp"
#include "zeroed_area.hpp"

struct program_support;
struct program_calls;

namespace user_programs {

// Writable data of a module that the threads of a process share: its globals, and the memory of its static constructors. Each
// thread has its own thread-local variables, which include the state of an exception in handling.
struct Globals {
    Bytes data;  // without `zeroed`
    ZeroedArea::Pages zeroed;
    Bytes startup;
};

struct LoadedProgram::Module {
    explicit Module(LoadedProgram& its_program, UserMemory* shared)
        : program(its_program),
          path(its_program.path()),
          costs(its_program.costs()),
          own_memory(shared == nullptr ? std::make_unique<UserMemory>() : nullptr),
          memory(shared == nullptr ? *own_memory : *shared) {}

    LoadedProgram& program;
    const std::string& path;
    const ProgramCosts& costs;
    void* handle = nullptr;
    std::vector<void*> function;  // index: ProgramKind::entries
    // It lies among the program's own data, where a wild pointer may change it. `intact` is the host's trusted copy while the
    // program runs, except for budget, frame and library_cycles.
    program_support* support = nullptr;
    std::unique_ptr<program_support> intact;
    std::uintptr_t load_address = 0, text_begin = 0, text_end = 0;
    std::uintptr_t image_end = 0;  // end of everything that is loaded
    std::size_t loaded_bytes = 0;  // of the file
    bool calls_setjmp = false;
    std::byte* data = nullptr;       // writable data
    std::size_t data_bytes = 0;      // all of it
    ZeroedArea zeroed;               // its end, if that is large
    char* startup_room = nullptr;    // memory for its static constructors
    std::size_t startup_number = 0;  // which of these rooms it is
    std::byte* thread_data = nullptr;
    std::size_t thread_bytes = 0;
    std::map<std::vector<std::uintptr_t>, std::string> places;  // cached answers of where()
    using Weights = std::shared_ptr<const std::vector<std::uint16_t>>;
    Weights weights;  // of its blocks, by address; copies of a module share them
    Globals pristine;
    Bytes pristine_thread;
    std::unique_ptr<UserMemory> own_memory;
    UserMemory& memory;
    Globals* active = nullptr;       // whose values are in place
    Bytes* active_thread = nullptr;  // the thread-local variables that are in place

    ~Module();
    void load(const Module* like);  // nullptr: the first of its file
    void open();                    // loads the module and runs its static constructors
    char* take_startup_room();
    void give_back_startup_room();
    void find_functions();
    void find_segments();
    void construct();
    Weights read_weights() const;
    std::string where(const std::vector<std::uintptr_t>& candidates);
    std::string where_now(const UserStack& stack);  // the line of the code on `stack`
    bool repair();                                  // true: it repaired something
    std::int64_t budget() const;
    Cycles take_library_work();  // of program_support::library_cycles, which is none then
    Globals current_globals() const;
    Bytes current_thread() const { return {thread_data, thread_data + thread_bytes}; }
    void put(const Globals& values);
    void activate(ProgramProcess& process);
    std::int64_t piece() const;  // estimated cycles between two checks of the counter
    Cycles in_external_memory(std::int64_t cycles) const { return Cycles(cycles * costs.memory_percent / 100); }
};

struct ProgramProcess::Memory {
    Memory(LoadedProgram::Module& module, vocabulary::NodeId node, std::shared_ptr<Globals> globals, Bytes thread_local_ones,
           std::byte* room_of_stack);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    UserMemory& of;
    vocabulary::NodeId node;
    std::shared_ptr<Globals> saved;  // threads of a process share them
    Bytes thread;                    // thread-local variables
    std::byte* room;                 // of the stack
    UserStack stack;
};

// An error of a static constructor, before any process exists.
struct StartedConstructors {
    static inline std::string complaint;
};
std::string fault_name(const FaultReport& fault, const UserStack& stack);  // "writes address 0x0, near the null pointer"
std::vector<std::uintptr_t> code_of(const FaultReport& fault);             // possible places of the fault, innermost first
// FaultCatcher::Tell
bool tell_system_call(const SystemCall& call, Verdict verdict);
// "has used up its stack of 6080 kbytes", and the remedy.
std::string stack_used_up(const UserStack& stack);
inline constexpr const char* less_stack = "look for a recursion that does not end, or allocate large variables instead";

// The functions that the module's support code calls; they act on ProgramProcess::current().
const program_calls& common_calls();

}  // namespace user_programs
