// ProgramProcess: one process of a LoadedProgram. It has its own globals and stack, and can touch only its node's memory. Each
// kind of program derives its own from it and adds the calls that only its programs have.
//
// A function of the program runs on a stack of its own. Its calls run there, too, where a wrong pointer is the program's fault.
// For everything that waits or takes modelled time they go to the caller's stack (on_caller()). Meanwhile other processes may
// run, and their globals be in place of this one's: such code reads and writes nothing of the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <user_programs/code_registers.hpp>
#include <user_programs/diagnosis.hpp>
#include <user_programs/environment.hpp>
#include <user_programs/kept_log.hpp>
#include <user_programs/loaded_program.hpp>
#include <user_programs/process_image.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace user_programs {

using Bytes = std::vector<std::byte>;
using vocabulary::Cycles;

struct FaultReport;
struct Globals;
class NodeHeap;
class ProgramProcess;
class UserMemory;
class UserStack;

// Costs for the watchdog. It would wait long for the end of a loop whose blocks do little but allocate, or ask.
inline constexpr std::int64_t about_an_allocation = 200, about_a_call = 1000;

// A stack for a thread that has not begun: ProgramProcess takes it. It outlives the process.
class ReservedStack {
public:
    // Call if ProgramProcess::has_room_for_thread().
    explicit ReservedStack(ProgramProcess& process);
    ~ReservedStack();
    ReservedStack(const ReservedStack&) = delete;
    ReservedStack& operator=(const ReservedStack&) = delete;
    std::byte* take() { return std::exchange(room_, nullptr); }

private:
    UserMemory& memory_;
    vocabulary::NodeId node_;
    std::byte* room_;
};

class ProgramProcess {
public:
    // Returned: the function came to its end. Ended: the program ended the process itself, or its calls did; the function's
    // stack is abandoned, and the process can run again.
    enum class End : std::uint8_t { Returned, Ended };

    // The globals start with the program's initial values, or with the present values of `like`. Processes of one program on
    // one node share a heap. `program` must outlive it.
    ProgramProcess(LoadedProgram& program, vocabulary::NodeId node, const ProgramProcess* like = nullptr);
    // A thread of a process: it shares the process's globals, heap and blocks, and has a stack of its own. It may outlive the
    // process, and does not run then.
    struct ThreadOf {
        ProgramProcess& process;
        ReservedStack& stack;
    };
    explicit ProgramProcess(ThreadOf of);
    virtual ~ProgramProcess();
    ProgramProcess(const ProgramProcess&) = delete;
    ProgramProcess& operator=(const ProgramProcess&) = delete;

    // False: the node's processes have taken all stacks (SharedMemory).
    static bool has_room(LoadedProgram& program, vocabulary::NodeId node);
    bool has_room_for_thread() const;

    // The process whose function runs now; nullptr if none does.
    static ProgramProcess* current() { return current_; }
    vocabulary::NodeId node() const { return node_; }
    const LoadedProgram& program() const { return program_; }
    Environment& environment() { return *environment_; }

    // From now on the process keeps a log for flowback, if its program is a logging version.
    void keep_flowback_log(std::shared_ptr<KeptLog> log) { kept_log_ = std::move(log); }
    KeptLog* kept_log() const { return kept_log_.get(); }
    // The node's heap, if anything lies there that processes to come will share. Empty: nothing does.
    flowback_log::Range shared_heap() const;
    flowback_log::Recorder* flowback_log() const {
        return kept_log_ == nullptr || kept_log_->is_cut() ? nullptr : &kept_log_->recorder();
    }

    // The computation under way, while modelled time goes on. Empty: the function has just made a call, or waits in one.
    struct Computation {
        vocabulary::SimTime time;  // that it has computed without a call
        std::string where;         // "loop.c:7"; empty: no line is known
    };
    std::optional<Computation> computation() const;

    // The registers where it waits, in Magicwire's code below the call. Empty: it has not begun, runs, or has ended.
    std::optional<CodeRegisters> registers() const;

    // For calls, on the program's stack.

    // Runs `action` on the caller's stack, after it has charged what the function has computed. Nothing that `action` needs may
    // lie on the program's stack, except what the frames of the call itself hold.
    template <class Action>
    void on_caller(Action action) {
        settle_counter();
        computed_ = {};
        const std::function<void()> what = std::ref(action);
        switch_to_caller(what);
    }
    void settle_counter();
    // Counts a call without modelled time as `about` estimated cycles.
    void notice(std::int64_t about) {
        if (program_.costs().source == CostSource::Estimated) return;
        unnoticed_ += about;
        if (unnoticed_ >= looks_at_) look();
    }
    // Reports a problem; the function goes on.
    void tell(Problem problem, std::string what, std::string advice, const char* outcome = "");
    // Reports a problem and ends the process.
    [[noreturn]] void stop(Problem problem, std::string what, std::string advice);
    [[noreturn]] void end_quietly();  // likewise, without a report
    // Copies the bytes of a message that the function hands over; ends the process when that is impossible. Reports bytes that
    // hold an address of the program, if the message `leaves` the node: there it means nothing.
    Bytes copy_message(const char* what, const void* data, std::size_t bytes, bool leaves = true);
    // True when the range lies in memory of this process: globals, stack, heap; for reading also its constants.
    bool owns(const void* data, std::size_t bytes, bool for_writing) const;
    // True when all of the range can be read without a fault. Memory of the node that was never allocated cannot.
    bool can_read(const void* data, std::size_t bytes) const;
    // Room on its node outside its heap, which no image has and which does not count in the node's RAM. Null: there is none.
    std::byte* lend_room(std::size_t bytes);
    void take_room_back(void* room);  // that it was lent
    // Copies bytes of its memory while no program runs. False: they cannot be read.
    bool copy_out(const void* from, void* to, std::size_t bytes) const;

    // For calls, on the caller's stack.
    void charge(Cycles amount);
    // Everything of it, as it waits in the call that hands `registers` over. Its globals are in place: nothing else of the
    // program has run since. Cost: a copy.
    ProcessImage image(const ProcessImage::Registers& registers) const;
    // Why an image of it would not be whole: "a handler runs". Empty: it would be.
    virtual std::string image_obstacle() const;
    // Calls code of the program in the middle of a call that waits: a handler. It runs on the program's stack, and may make
    // calls itself. Does not come back when it ends the process.
    void interrupt(const std::function<void()>& code);

    // For the support code (call_gate.hpp).
    void arrive(const void* frame);  // it has called Magicwire, whose frames end at `frame`
    void spent();
    void write(std::string_view text);
    std::size_t read(void* buffer, std::size_t bytes);
    void* allocate(std::size_t bytes, std::size_t alignment);
    void release(void* block);
    std::size_t block_bytes(const void* block);
    void refuse_call(const char* function, const char* advice);
    void work(Cycles cycles);
    Cycles cycles_of_operations(int kind, unsigned long long count);
    // `amount`, unless it is more than days: that ends the process.
    unsigned long long sensible(const char* function, unsigned long long amount);

    // Runs in a signal handler, as if the function had called it. False: abandon the function.
    bool refuse(std::string what, std::string advice);
    void end_by_system_call(std::string what, std::string advice);

    virtual void exit(int status) = 0;  // exit() of the program, on its stack; does not return

protected:
    // Runs a function to its end. Rethrows exceptions of `environment`.
    End run(std::size_t entry, Environment& environment);
    // run() goes on from it instead of calling the function. Then the function never returns: the program ends itself by a
    // call. `image` has the addresses of this process (ProcessImage::addresses_of).
    void begin_from(std::shared_ptr<const ProcessImage> image) { image_ = std::move(image); }
    std::size_t entry() const { return entry_; }

    // Calls the function, on its stack. `code`: its address. The globals are in place.
    virtual void enter(void* code) = 0;
    virtual void describe(Diagnosis& diagnosis) const = 0;                      // sets who has the problem
    virtual const char* what_ended() const { return "its process has ended"; }  // for diagnoses
    // Advice against a function that computes on (Problem::ComputesOn).
    virtual std::string how_it_ends() const { return "look for a loop that does not end"; }
    virtual void before_text() {}                     // the function prints or reads text, on its stack
    virtual void prepare() {}                         // before the function, on the caller's stack, globals in place
    virtual Cycles fixed_cost() const { return {}; }  // charged before the function
    virtual void finish() {}                          // after it, likewise

    Diagnosis diagnosis(Problem problem, std::string what, std::string advice) const;

    // Memory that is lent to the function: messages of the runtime. It does not count in the node's RAM.
    std::byte* lend(std::span<const std::byte> bytes);  // null: no room; for either stack
    void take_back(void* block);
    void take_back_all();
    bool forget_loan(void* block);  // true: it was lent

    // From now on the blocks that it allocates are its own. free_own_blocks() frees them without environment() and returns the
    // modelled bytes that they had.
    void own_blocks();
    std::uint64_t free_own_blocks();

private:
    friend class CodeStops;
    friend class LoadedProgram;
    friend class ReservedStack;
    friend struct LoadedProgram::Module;
    struct Memory;

    void switch_to_caller(const std::function<void()>& what);
    FaultReport fault_of_stack() const;
    void start();
    void call();
    void put_back();
    void put_words_back();
    void forget_support(ProcessImage::Bytes& data) const;
    [[noreturn]] void resume_image();
    void settle();
    void flush();
    void look();
    void tell_that_it_computes_on();
    vocabulary::SimTime time_of(Cycles cycles) const;
    void require_room(const void* stack_pointer);
    void tell_fault(const FaultReport& fault);
    std::string owner_of(std::uintptr_t address) const;
    void look_for_pointers(const char* what, std::span<const std::byte> bytes);
    std::byte* allocate_in(NodeHeap& heap, std::size_t bytes, std::size_t alignment);

    static ProgramProcess* current_;

    LoadedProgram& program_;
    LoadedProgram::Module& module_;
    vocabulary::NodeId node_;
    std::unique_ptr<Memory> memory_;  // saved globals and stack
    std::string unfinished_line_;     // printed so far, without a line feed
    std::shared_ptr<KeptLog> kept_log_{};
    std::shared_ptr<const ProcessImage> image_{};  // where it begins; null: at the beginning of its function

    // State of the current run.
    std::size_t entry_ = 0;
    Environment* environment_ = nullptr;
    std::vector<void*> lent_;
    std::size_t words_lent_ = 0;   // of lent_: those that prepare() has lent
    Cycles cycles_;                // charged by the run
    std::int64_t unnoticed_ = 0;   // estimated cycles since the last charge
    std::int64_t looks_at_ = 0;    // value of `unnoticed_` for the next check for an endless loop
    std::uint64_t looked_us_ = 0;  // the node's clock at the last such check
    Cycles computed_;              // charged since the last call, if the costs are estimated
    Cycles tells_at_;              // value of `computed_` for the next diagnosis of ComputesOn
    bool ended_ = false;           // the program ended the process itself
    bool damage_ = false;          // the program has written into the support code's data
    unsigned refusals_ = 0;        // calls for things that a node does not have
    int error_ = 0;                // the process's errno
    std::uint32_t owner_ = 0;      // of its blocks
    Bytes received_;               // read by a call; not on the stack, which must not change while the function waits
};

}  // namespace user_programs
