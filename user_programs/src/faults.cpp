// Translates a fault of a user's function into a message for its author.
#include <csignal>
#include <cstdio>
#include <cstring>

#include "../support/program_support.h"
#include "program_module.hpp"
#include "source_lines.hpp"

namespace user_programs {

namespace {

std::string hex(std::uintptr_t value) {
    std::array<char, 24> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%zx", static_cast<std::size_t>(value));
    return digits.data();
}

constexpr std::uintptr_t null_page = 64 * 1024;  // within reach of a null pointer plus an offset
constexpr const char* sent_bytes_only = "send the bytes that it points to instead: an address means nothing on another node";

}  // namespace

std::string stack_used_up(const UserStack& stack) {
    return "has used up its stack of " + std::to_string(static_cast<std::size_t>(stack.top() - stack.bottom()) / 1024) +
           " kbytes";
}

// The line of the user's source where it happened: the first of the addresses that is in the user's code. Another program is
// asked for it, so each answer is kept.
std::string LoadedProgram::Module::where(const std::vector<std::uintptr_t>& candidates) {
    std::vector<std::uintptr_t> offsets;
    for (const std::uintptr_t code : candidates) {
        if (code >= text_begin && code < text_end) offsets.push_back(code - load_address);
    }
    const auto known = places.find(offsets);
    if (known != places.end()) return known->second;
    std::string place;
    for (const SourceLine& line : user_lines(path, offsets)) {
        if (line.line == 0) continue;
        place = line.file + ":" + std::to_string(line.line);
        break;
    }
    return places.emplace(std::move(offsets), place).first->second;
}

std::string LoadedProgram::Module::where_now(const UserStack& stack) {
    std::vector<std::uintptr_t> callers;
    find_callers(stack, callers);
    for (std::uintptr_t& caller : callers) --caller;  // the address of the call, not of the instruction behind it
    return where(callers);
}

Diagnosis ProgramProcess::diagnosis(Problem problem, std::string what, std::string advice) const {
    Diagnosis made{.problem = problem, .node = node_};
    describe(made);
    made.what = std::move(what);
    made.advice = std::move(advice);
    return made;
}

void ProgramProcess::tell(Problem problem, std::string what, std::string advice, const char* outcome) {
    Diagnosis made = diagnosis(problem, std::move(what), std::move(advice));
    made.where = module_.where_now(memory_->stack);
    made.outcome = outcome;
    environment_->diagnose(std::move(made));
}

void ProgramProcess::stop(Problem problem, std::string what, std::string advice) {
    tell(problem, std::move(what), std::move(advice), what_ended());
    end_quietly();
}

void ProgramProcess::end_quietly() {
    ended_ = true;
    memory_->stack.abandon();  // nothing that still owns memory may lie on the stack
}

// False: the program has ignored too many refusals.
bool ProgramProcess::refuse(std::string what, std::string advice) {
    constexpr unsigned most_refusals = 1000;  // per call of a function: a loop around refused calls would not end
    tell(Problem::WrongCall, std::move(what), std::move(advice));
    if (++refusals_ < most_refusals) return true;
    ended_ = true;
    tell(Problem::RunsWithoutCharging, "has made " + std::to_string(refusals_) + " calls that a node does not have",
         "look for a loop that ignores their failure", what_ended());
    return false;
}

void ProgramProcess::end_by_system_call(std::string what, std::string advice) {
    tell(Problem::EndedItself, std::move(what), std::move(advice), what_ended());
    ended_ = true;
}

bool tell_system_call(const SystemCall& call, Verdict verdict) {
    ProgramProcess* const process = ProgramProcess::current();
    if (process == nullptr) {
        StartedConstructors::complaint = what_it_does(call);
        return false;
    }
    const std::string advice = advice_about(call, process->program().kind());
    if (verdict == Verdict::Refuse) return process->refuse(what_it_does(call), advice);
    process->end_by_system_call(what_it_does(call), advice);
    return false;
}

// Magicwire's own code runs on the stack of the user's function, and must not be cut off halfway.
void ProgramProcess::require_room(const void* stack_pointer) {
    constexpr std::ptrdiff_t least = 64 * 1024;
    const UserStack& stack = memory_->stack;
    const auto* const at = static_cast<const std::byte*>(stack_pointer);
    if (at < stack.bottom() || at > stack.top() || at - stack.bottom() >= least) return;  // a stack of the program's own
    stop(Problem::StackOverflow, stack_used_up(stack), less_stack);
}

void ProgramProcess::arrive(const void* frame) {
    memory_->stack.entered_at(frame);
    require_room(frame);
}

// Copies the bytes of a message that the user's function hands over. They are read here, on its own stack, where a wrong
// pointer is the function's fault.
Bytes ProgramProcess::copy_message(const char* what, const void* data, std::size_t bytes, bool leaves) {
    constexpr std::size_t most = std::size_t{64} << 20;  // more than any node's RAM
    if (bytes > most)
        stop(Problem::TooLarge,
             std::string("calls ") + what + "() with " + std::to_string(bytes) + " bytes, more than a node holds",
             "look for a negative number or an overflow in the size");
    const auto* first = static_cast<const std::byte*>(data);
    const auto address = reinterpret_cast<std::uintptr_t>(first);
    if (first >= memory_->stack.bottom() && address < module_.support->frame && bytes > 0)
        stop(Problem::DeadStack, std::string("calls ") + what + "() with a local variable of a function that has returned",
             "make the variable static, allocate it, or let the caller own it");
    Bytes copy(first, first + bytes);
    if (leaves) look_for_pointers(what, copy);
    return copy;
}

// The owner of an address, as far as a program can know it; empty: nobody.
std::string ProgramProcess::owner_of(std::uintptr_t address) const {
    if (const auto place = module_.memory.place_of(address))
        return "n" + std::to_string(place->node.value()) + "'s " + (place->stack ? "stack" : "heap");
    const auto data = reinterpret_cast<std::uintptr_t>(module_.data);
    if (address >= data && address < data + module_.data_bytes) return "a global variable";
    if (address >= module_.text_begin && address < module_.text_end) return "a function of the program";
    return {};
}

bool ProgramProcess::owns(const void* data, std::size_t bytes, bool for_writing) const {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    if (bytes == 0) return true;
    if (first > UINTPTR_MAX - bytes) return false;
    const auto lies_in = [&](std::uintptr_t begin, std::uintptr_t end) { return first >= begin && first + bytes <= end; };
    const auto globals = reinterpret_cast<std::uintptr_t>(module_.data);
    const auto startup = reinterpret_cast<std::uintptr_t>(module_.startup_room);
    const auto thread = reinterpret_cast<std::uintptr_t>(module_.thread_data);
    const auto begins = module_.memory.place_of(first), ends = module_.memory.place_of(first + bytes - 1);
    return (begins && ends && begins->node == node_ && ends->node == node_) || lies_in(globals, globals + module_.data_bytes) ||
           lies_in(startup, startup + PROGRAM_STARTUP_ROOM) || lies_in(thread, thread + module_.thread_bytes) ||
           (!for_writing && lies_in(module_.load_address, module_.image_end));
}

bool ProgramProcess::can_read(const void* data, std::size_t bytes) const {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    if (bytes == 0) return true;
    if (!owns(data, bytes, false)) return false;
    const auto place = module_.memory.place_of(first);
    if (!place) return true;
    const auto low = reinterpret_cast<std::uintptr_t>(memory_->stack.bottom());
    const auto high = reinterpret_cast<std::uintptr_t>(memory_->stack.top());
    if (place->stack) return first >= low && first < high && bytes <= high - first;
    return module_.memory.heap(node_).covers(first, bytes) || module_.memory.messages(node_).covers(first, bytes);
}

bool ProgramProcess::copy_out(const void* from, void* to, std::size_t bytes) const {
    if (!can_read(from, bytes)) return false;
    module_.memory.open_only(node_);  // the next program to run opens its own
    std::memcpy(to, from, bytes);
    return true;
}

void ProgramProcess::look_for_pointers(const char* what, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes.size(); at += sizeof(std::uintptr_t)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        const std::string owner = owner_of(word);
        if (owner.empty()) continue;
        tell(Problem::PointerInMessage,
             std::string("calls ") + what + "() with bytes that hold a pointer: at byte " + std::to_string(at) + " of " +
                 std::to_string(bytes.size()) + " is an address of " + owner,
             sent_bytes_only);
        return;
    }
}

namespace {

// Names the fault from its address alone.
void name_memory_fault(Diagnosis& made, const FaultReport& fault, const UserStack& stack, const std::optional<Place>& place,
                       vocabulary::NodeId node) {
    const std::string does = fault.executed ? "calls" : fault.written ? "writes" : "reads";
    if (!fault.has_address) {
        made.problem = Problem::WildPointer;
        made.what = does + " through a pointer that is not a valid address";
        made.advice = "look for a pointer that was never set, or was overwritten by something else";
        // NOLINTNEXTLINE(performance-no-int-to-ptr): compared only
    } else if (const void* at = reinterpret_cast<const void*>(fault.address); fault.stack_used_up || stack.in_guard(at)) {
        made.problem = Problem::StackOverflow;
        made.what = stack_used_up(stack);
        made.advice = less_stack;
    } else if (fault.address < null_page) {
        made.problem = Problem::NullPointer;
        made.what = does + " address " + hex(fault.address) + ", near the null pointer";
        made.advice = "look for a pointer that was never set, or an allocation that found no memory";
    } else if (place && place->node != node) {
        made.problem = Problem::ForeignMemory;
        made.what = does + " memory of n" + std::to_string(place->node.value()) + ": address " + hex(fault.address) +
                    " is on its " + (place->stack ? "stack" : "heap");
        made.advice =
            std::string("nodes share no memory: look for a pointer that came in a task or result, and ") + sent_bytes_only;
    } else {
        made.problem = Problem::WildPointer;
        made.what = does + " address " + hex(fault.address) + ", which is not allocated to anything";
        made.advice = "look for an index out of range, or a pointer that was never set, or was freed";
        if (place) made.what = does + " address " + hex(fault.address) + " of its own node, where nothing was ever allocated";
    }
}

}  // namespace

namespace {

void name_fault(Diagnosis& made, const FaultReport& fault, const UserStack& stack, const std::optional<Place>& place,
                vocabulary::NodeId node) {
    made.problem = Problem::BadInstruction;
    if (fault.overwritten) {
        made.problem = Problem::DeadStack;
        made.what = "cannot go on, since another process has overwritten its stack";
        made.advice = "look in the node's other functions for a pointer to a variable of a function that has returned";
    } else if (fault.signal == SIGFPE) {
        made.problem = Problem::BadArithmetic;
        made.what = "divides an integer by zero, or the least one by -1";
        made.advice = "check the divisor";
    } else if (fault.signal == SIGABRT) {
        made.problem = Problem::EndedItself;
        made.what = "has called abort(), by itself or in the library: a pure virtual call, an exception out of a destructor";
        made.advice = "look at what the line does";
    } else if (fault.signal == SIGVTALRM) {
        made.problem = Problem::RunsWithoutCharging;
        made.what = "runs endlessly in one place and uses no modelled time";
        made.advice = "look for a loop that never ends and does nothing";
    } else if (fault.unaligned) {
        made.what = "uses an unaligned address after switching on the processor's alignment check (bus error)";
        made.advice = "leave the processor's flags as they are";
    } else if (fault.signal == SIGTRAP) {
        made.what = "has come to a breakpoint";
        made.advice = "remove it: there is no debugger";
    } else if (fault.signal == SIGILL) {
        made.what = "has reached code that the compiler considered unreachable";
        made.advice = "look at the compiler's warnings there: a function without return, an address that is null";
    } else {
        name_memory_fault(made, fault, stack, place, node);
        if (fault.signal == SIGBUS) made.what += " (bus error)";
    }
}

}  // namespace

std::string fault_name(const FaultReport& fault, const UserStack& stack) {
    Diagnosis made;
    name_fault(made, fault, stack, {}, {});
    return made.what;
}

std::vector<std::uintptr_t> code_of(const FaultReport& fault) {
    std::vector<std::uintptr_t> code{fault.code};
    for (const std::uintptr_t caller : fault.callers) code.push_back(caller - 1);
    return code;
}

void ProgramProcess::tell_fault(const FaultReport& fault) {
    Diagnosis made = diagnosis(Problem::BadInstruction, "", "");
    name_fault(made, fault, memory_->stack, module_.memory.place_of(fault.address), node_);
    made.where = module_.where(code_of(fault));
    made.outcome = "the node has stopped";
    environment_->diagnose(std::move(made));
}

}  // namespace user_programs
