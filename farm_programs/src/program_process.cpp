// A process of a program: one call of a function from its beginning to its end.
#include <cerrno>
#include <cstring>
#include <exception>

#include <farm_programs/loaded_program.hpp>
#include <vocabulary/errors.hpp>

#include "../support/trek_support.h"
#include "processor_flags.hpp"
#include "program_state.hpp"
#include "system_fence.hpp"

namespace farm_programs {

using State = ProgramProcess::State;

State* State::current = nullptr;

ProgramProcess::ProgramProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProgramProcess::~ProgramProcess() = default;

CallResult ProgramProcess::run(const Call& call, Environment& environment) {
    return state_->run(call, environment);
}

State::State(LoadedProgram::Module& module, vocabulary::NodeId where, Globals globals)
    : program(module),
      node(where),
      saved(std::move(globals)),
      stack(module.memory.take_stack(where), UserMemory::stack_bytes, {module.text_begin, module.text_end}) {}

CallResult State::run(const Call& its_call, Environment& its_environment) {
    call = &its_call;
    environment = &its_environment;
    if (program.function[static_cast<std::size_t>(call->function)] == nullptr) return {};
    prepare();
    ++program.charged[static_cast<std::size_t>(call->function)].calls;
    if (program.costs.source == CostSource::Fixed && call->function == Function::Compute)
        charge(environment->cycles_of(program.costs.times.of(call->task.task)));
    const bool whole = stack.run([this] { enter(); },
                                 [this] {
                                     program.activate(*this);
                                     program.repair();
                                     current = this;
                                     FaultCatcher::begin(stack);
                                     errno = error;
                                 },
                                 [this] {
                                     error = errno;
                                     FaultCatcher::end();
                                     damage = program.repair() || damage;
                                     current = nullptr;
                                 });
    // Taken at once: the following code takes modelled time, in which another process may fault, too.
    const FaultReport fault = whole || ended ? FaultReport{} : fault_of(stack);
    ended = ended || (!whole && fault.signal == FaultReport::end_wanted && !fault.overwritten);
    const bool faulted = !whole && !ended;
    if (damage)
        environment->diagnose(diagnosis(Problem::Overrun, "writes outside its global variables",
                                        "look for an index out of range of a global array"));
    if (faulted) tell_fault(fault);
    // A node that stops waits for nobody's answer, so its unfinished line is lost.
    if (faulted) unfinished_line.clear();
    finish();
    if (ended) throw trek_kernel::ProcessEnds{};
    if (faulted) environment->fault();
    return std::move(result);
}

FaultReport State::fault_of(const UserStack& stack) {
    if (!stack.is_overwritten()) return FaultCatcher::take();
    FaultReport fault;
    fault.overwritten = true;
    fault.callers = stack.waited_at();
    return fault;
}

void State::prepare() {
    program.activate(*this);
    program.support->budget = program.piece();
    result = {};
    cycles = {};
    unnoticed = 0;
    looks_at = program.piece();
    ended = damage = false;
    refusals = 0;
    parts.clear();
    task = lend_or_end(call->body);
    for (const Bytes& part : call->parts) parts.emplace_back(lend_or_end(part), static_cast<std::uint32_t>(part.size()));
}

std::byte* State::lend_or_end(std::span<const std::byte> bytes) {
    if (std::byte* block = lend(bytes)) return block;
    for (void* block : lent) take_back(block);
    lent.clear();
    Diagnosis made = diagnosis(Problem::OutOfMemory, no_room(bytes.size()), smaller_messages);
    made.outcome = "its process has ended";
    environment->diagnose(std::move(made));
    throw trek_kernel::ProcessEnds{};
}

std::string State::no_room(std::size_t bytes) {
    return "is given a message of " + std::to_string(bytes) +
           " bytes, and the node has no room for it beside its other messages";
}

// Settles the rest of the counter, the rest of a line, and the memory that was lent for the call.
void State::finish() {
    program.activate(*this);
    if (program.costs.source == CostSource::Estimated) charge(program.in_external_memory(program.piece() - program.budget()));
    program.activate(*this);
    for (void* block : lent) take_back(block);
    lent.clear();
    got = nullptr;
    flush();
    if (cycles.count() == 0) ++program.charged[static_cast<std::size_t>(call->function)].silent_calls;
}

void State::enter() {
    void* const function = program.function[static_cast<std::size_t>(call->function)];
    const auto bytes = static_cast<unsigned>(call->body.size());
    const bool takes_task = call->function == Function::Compute || call->function == Function::Split;
    SystemFence::close();
    if (takes_task) {
        reinterpret_cast<void (*)(const void*, unsigned)>(function)(task, bytes);
    } else {
        reinterpret_cast<void (*)()>(function)();
    }
    clear_flags_of_the_program();
    SystemFence::open();
}

std::byte* State::allocate(NodeHeap& heap, std::size_t bytes, std::size_t alignment) {
    std::exception_ptr refused;
    try {
        return heap.allocate(bytes, alignment);
    } catch (const vocabulary::HostError&) {
        if (current != this) throw;
        refused = std::current_exception();
    }
    on_caller([&refused] { std::rethrow_exception(std::exchange(refused, nullptr)); });
    return nullptr;  // never: the stack is abandoned
}

// The block lies in the node's own memory, where a program that writes beyond the end harms its own data only.
std::byte* State::lend(std::span<const std::byte> bytes) {
    std::byte* block = allocate(program.memory.messages(node), bytes.size(), 16);
    if (block == nullptr) return nullptr;
    if (!bytes.empty()) std::memcpy(block, bytes.data(), bytes.size());
    lent.push_back(block);
    return block;
}

void State::take_back(void* block) {
    std::size_t bytes = 0;
    const NodeHeap::Freed how = program.memory.messages(node).release(block, bytes);
    if (how != NodeHeap::Freed::Overrun) return;
    environment->diagnose(diagnosis(Problem::Overrun, "writes past the end of a task or result that it was given",
                                    "copy it into memory of its own before changing it"));
}

void State::charge(Cycles amount) {
    if (amount.count() <= 0) return;
    unnoticed = 0;
    looks_at = program.piece();
    cycles += amount;
    program.charged[static_cast<std::size_t>(call->function)].cycles += amount;
    environment->charge(amount);
}

// Charges the time of the computation so far, before anything else of the process is seen.
void State::settle_counter() {
    if (program.costs.source != CostSource::Estimated) {
        unnoticed += program.piece() - program.budget();
        program.support->budget = program.piece();
        return;
    }
    const Cycles counted = program.in_external_memory(program.piece() - program.budget());
    program.support->budget = program.piece();
    if (counted.count() <= 0) return;
    const std::function<void()> pay = [this, counted] { charge(counted); };
    stack.on_caller(pay);
}

void State::spent() {
    FaultCatcher::moves();
    settle_counter();
    if (unnoticed >= looks_at) look();
}

// Checks now and then, where no modelled time is charged, that the function does not go on for ever. Its calls may take
// modelled time without a charge, as a message does.
void State::look() {
    if (EndWanted::now()) {
        ended = true;
        stack.abandon();
    }
    looks_at = unnoticed + program.piece();
    if (unnoticed < program.costs.watchdog_cycles) return;
    const std::uint64_t now = environment->clock_us();
    unnoticed = 0;
    looks_at = program.piece();
    if (std::exchange(looked_us, now) != now) return;
    stop(Problem::RunsWithoutCharging, "runs endlessly without charging any modelled time",
         "look for a loop that does not end; if it is meant to run so long, call work_us() in it or take `costs: estimated`");
}

void State::flush() {
    if (unfinished_line.empty()) return;
    const std::string text = std::exchange(unfinished_line, {});
    environment->print(text);
}

// Prints whole lines, since every line is a message to the host; a very long line goes in parts.
void State::write(std::string_view text) {
    constexpr std::size_t most = 4096;
    unfinished_line += text;
    const std::size_t end = unfinished_line.rfind('\n');
    const std::size_t ready = end != std::string::npos ? end + 1 : unfinished_line.size() > most ? unfinished_line.size() : 0;
    if (ready == 0) return;
    const std::string whole = unfinished_line.substr(0, ready);
    unfinished_line.erase(0, ready);
    on_caller([&] { environment->print(whole); });
}

}  // namespace farm_programs
