// The calls that every program has: memory, text, time, charges, its end. They run on the stack of the user's function, where a
// wrong pointer is the user's fault.
#include <algorithm>

#include <user_programs/call_gate.hpp>

#include "../support/program_support.h"
#include "program_module.hpp"

namespace user_programs {

// A block remembers its size, as a real allocator's header does (hw_model/arena).
constexpr std::size_t block_header = 8;

void* ProgramProcess::allocate(std::size_t bytes, std::size_t alignment) {
    notice(about_an_allocation);
    if (bytes > UINT32_MAX || !environment_->take_memory(bytes + block_header)) return nullptr;
    std::byte* block = allocate_in(module_.memory.heap(node_), bytes, alignment);
    if (block == nullptr) environment_->give_back_memory(bytes + block_header);
    return block;
}

void ProgramProcess::release(void* block) {
    if (block == nullptr) return;
    NodeHeap& heap = module_.memory.heap(node_);
    if (module_.memory.messages(node_).is_block(block))
        return tell(Problem::NeverAllocated, "frees a task or result that it was given",
                    "leave it: the runtime frees it when the function returns");
    std::size_t bytes = 0;
    const NodeHeap::Freed how = heap.release(block, bytes);
    if (how == NodeHeap::Freed::Yes || how == NodeHeap::Freed::Overrun) environment_->give_back_memory(bytes + block_header);
    switch (how) {
        case NodeHeap::Freed::Yes:
            return;
        case NodeHeap::Freed::Twice:
            return tell(Problem::FreedTwice, "frees a block of memory that it has freed before",
                        "let one place own the block, and set the pointer to 0 when it is freed");
        case NodeHeap::Freed::Overrun:
            return tell(Problem::Overrun, "frees a block of " + std::to_string(bytes) + " bytes after writing past its end",
                        "look for an index that is one too large, or a size counted in elements");
        case NodeHeap::Freed::NeverAllocated:
            break;
    }
    const auto place = module_.memory.place_of(reinterpret_cast<std::uintptr_t>(block));
    std::string what = "frees an address that was never allocated";
    if (place && place->node != node_) what = "frees memory of n" + std::to_string(place->node.value());
    tell(Problem::NeverAllocated, what, "free only a pointer that malloc() or new returned on the same node");
}

std::size_t ProgramProcess::block_bytes(const void* block) {
    const NodeHeap& heap = module_.memory.heap(node_);
    const std::size_t bytes = heap.block_bytes(block);
    if (bytes == 0 && !heap.is_block(block))
        tell(Problem::NeverAllocated, "passes realloc() an address that was never allocated",
             "pass a pointer that malloc() or realloc() returned and that is not freed");
    return bytes;
}

void ProgramProcess::own_blocks() {
    owner_ = module_.memory.next_owner();
}

std::uint64_t ProgramProcess::free_own_blocks() {
    const auto [blocks, bytes] = module_.memory.heap(node_).release_all_of(owner_);
    return bytes + blocks * block_header;
}

void ProgramProcess::work(Cycles cycles) {
    if (program_.costs().source == CostSource::Explicit) on_caller([&] { charge(cycles); });
}

unsigned long long ProgramProcess::sensible(const char* function, unsigned long long amount) {
    constexpr unsigned long long most_work = 1'000'000'000'000;  // cycles or microseconds: 11 days and more
    if (amount <= most_work) return amount;
    stop(Problem::TooLarge, std::string("calls ") + function + "(" + std::to_string(amount) + "), which is more than days",
         "look for a negative number or an overflow in what it computes");
}

Cycles ProgramProcess::cycles_of_operations(int kind, unsigned long long count) {
    if (kind < 0 || static_cast<std::size_t>(kind) >= operation_kinds)
        stop(Problem::WrongCall, "calls work_operations(" + std::to_string(kind) + "), which is not a kind of operation",
             "take one of enum trek_operation");
    const auto each = static_cast<std::int64_t>(program_.costs().operations[static_cast<std::size_t>(kind)]);
    return module_.in_external_memory(static_cast<std::int64_t>(sensible("work_operations", count)) * each);
}

void ProgramProcess::refuse_call(const char* function, const char* advice) {
    if (!refuse(std::string("calls ") + function + ", which a node does not have", advice)) memory_->stack.abandon();
}

namespace {

ProgramProcess& me() {
    return *ProgramProcess::current();
}

void work_us(unsigned long long microseconds) {
    const auto time = vocabulary::SimTime::us(static_cast<std::int64_t>(me().sensible("work_us", microseconds)));
    me().work(me().environment().cycles_of(time));
}

void work_cycles(unsigned long long cycles) {
    me().work(Cycles(static_cast<std::int64_t>(me().sensible("work_cycles", cycles))));
}

void work_operations(int kind, unsigned long long count) {
    me().work(me().cycles_of_operations(kind, count));
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    return me().allocate(bytes, alignment);
}

void release(void* block) {
    me().release(block);
}

std::size_t block_bytes(const void* block) {
    return me().block_bytes(block);
}

void write(const char* text, std::size_t bytes) {
    me().write({text, bytes});
}

std::size_t read(void* buffer, std::size_t bytes) {
    return me().read(buffer, bytes);
}

unsigned node() {
    me().notice(about_an_allocation);
    return me().node().value();
}

unsigned long long clock_us() {
    me().settle_counter();
    me().notice(about_a_call);
    return me().environment().clock_us();
}

void spent() {
    me().spent();
}

void refuse(const char* function, const char* advice) {
    me().refuse_call(function, advice);
}

void end(const char* what, const char* advice) {
    me().stop(Problem::EndedItself, what, advice != nullptr ? advice : me().program().kind().instead_of_ending);
}

void exit_with(int status) {
    me().exit(status);
}

void no_memory(std::size_t bytes) {
    me().tell(Problem::OutOfMemory,
              "asks new for " + std::to_string(bytes) + " bytes, and the node has not so much memory left",
              "use less, give the node more RAM in the machine file, or catch std::bad_alloc");
}

// The log of the process; null: it keeps none.
flowback_log::Recorder* log() {
    return me().flowback_log();
}

unsigned flowback_enter(unsigned function, const void* addresses, const void* words, unsigned long bytes) {
    return log() == nullptr ? 0 : log()->enter(function, static_cast<const std::uint64_t*>(addresses), words, bytes);
}
void flowback_leave(unsigned depth, const void* value, unsigned long bytes) {
    if (log() != nullptr) log()->leave(depth, value, bytes);
}
// Memory that cannot be read is the program's fault, and it meets it by itself.
void flowback_read(unsigned long address, unsigned long bytes) {
    constexpr unsigned long scalar = 16;  // read just now
    if (log() == nullptr) return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the program
    if (bytes > scalar && !me().can_read(reinterpret_cast<const void*>(address), bytes)) return log()->unreadable();
    log()->read(address, bytes);
}
void flowback_wrote(unsigned long address, unsigned long bytes) {
    if (log() != nullptr) log()->wrote(address, bytes);
}
void flowback_variable(unsigned long address, unsigned long bytes) {
    if (log() != nullptr) log()->variable(address, bytes);
}
void flowback_call(unsigned site, unsigned depth, unsigned effect, const void* value, unsigned long bytes, unsigned long first,
                   unsigned long second) {
    if (log() != nullptr) log()->call(site, depth, static_cast<flowback_log::Effect>(effect), value, bytes, first, second);
}

void flowback_output(unsigned long address, unsigned long bytes) {
    if (log() != nullptr) log()->output(address, bytes);
}
void flowback_act(const program_act* act) {
    const auto pieces = [](const program_piece* first, unsigned long count) {
        std::vector<flowback_log::Range> all;
        for (unsigned long i = 0; i < count; ++i) all.emplace_back(first[i].address, first[i].bytes);
        return all;
    };
    if (log() == nullptr) return;
    const auto from = pieces(act->from, act->from_count), to = pieces(act->to, act->to_count);
    log()->act({.kind = static_cast<flowback_log::ActKind>(act->kind),
                .peer = act->peer,
                .flow = act->flow,
                .tag = act->tag,
                .context = act->context,
                .operation = act->operation,
                .from = from,
                .to = to});
}

constexpr program_flowback_calls flowback_table = {.enter = CallGate<flowback_enter>::call,
                                                   .leave = CallGate<flowback_leave>::call,
                                                   .read = CallGate<flowback_read>::call,
                                                   .wrote = CallGate<flowback_wrote>::call,
                                                   .variable = CallGate<flowback_variable>::call,
                                                   .call = CallGate<flowback_call>::call,
                                                   .output = CallGate<flowback_output>::call,
                                                   .act = CallGate<flowback_act>::call};

constexpr program_calls table = {.node = CallGate<node>::call,
                                 .work_us = CallGate<work_us>::call,
                                 .work_cycles = CallGate<work_cycles>::call,
                                 .work_operations = CallGate<work_operations>::call,
                                 .allocate = CallGate<allocate>::call,
                                 .release = CallGate<release>::call,
                                 .block_bytes = CallGate<block_bytes>::call,
                                 .write = CallGate<write>::call,
                                 .read = CallGate<read>::call,
                                 .clock_us = CallGate<clock_us>::call,
                                 .spent = CallGate<spent>::call,
                                 .refuse = CallGate<refuse>::call,
                                 .end = CallGate<end>::call,
                                 .exit = CallGate<exit_with>::call,
                                 .no_memory = CallGate<no_memory>::call,
                                 .flowback = &flowback_table};

}  // namespace

const program_calls& common_calls() {
    return table;
}

}  // namespace user_programs
