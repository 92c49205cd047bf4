// Implements a program's calls: the functions of trek.h, memory, text. They run on the stack of the user's function, where a
// wrong pointer is the user's fault. They go to the caller's stack for everything that waits or takes modelled time.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include <farm_programs/program_application.hpp>

#include "../support/trek_support.h"
#include "processor_flags.hpp"
#include "program_state.hpp"
#include "system_fence.hpp"

namespace farm_programs {
namespace {

using State = ProgramProcess::State;

State& me() {
    return *State::current;
}

// Costs for the watchdog. It would wait long for the end of a loop whose blocks do little but allocate, or ask.
constexpr std::int64_t about_an_allocation = 200, about_a_call = 1000;

void do_task(const void* task, std::size_t bytes, int priority) {
    State& s = me();
    s.require(s.call->function == Function::DataGenerator, "do_task()", "data_generator()");
    const Bytes copy = s.copy_message("do_task", task, bytes);
    s.on_caller([&] { s.environment->do_task(copy, priority); });
}

unsigned total_tasks() {
    return me().environment->total_tasks();
}

const void* get_result(unsigned* bytes) {
    State& s = me();
    s.require(s.call->function == Function::ResultReceiver, "get_result()", "result_receiver()");
    s.on_caller([&s] { s.received = s.environment->get_result(s.got_identity); });
    if (s.got != nullptr) {
        std::erase(s.lent, s.got);
        s.take_back(s.got);
    }
    s.got = s.lend(s.received);
    const std::size_t size = s.received.size();
    Bytes().swap(s.received);
    if (s.got == nullptr) s.stop(Problem::OutOfMemory, State::no_room(size), State::smaller_messages);
    if (bytes != nullptr) *bytes = static_cast<unsigned>(size);
    return s.got;
}

unsigned result_task() {
    State& s = me();
    s.require(s.got != nullptr, "result_task()", "result_receiver() after get_result()");
    return s.got_identity.task;
}

void return_result(const void* result, std::size_t bytes) {
    State& s = me();
    s.require(s.in(Function::Compute, Function::Join), "return_result()", "compute_fn() and join_fn()");
    s.require(s.result.made.empty(), "return_result()", "compute_fn() and join_fn() once; this is the second time");
    s.settle_counter();
    s.result.made.push_back(s.copy_message("return_result", result, bytes));
}

void sub_task(const void* task, std::size_t bytes) {
    State& s = me();
    s.require(s.call->function == Function::Split, "sub_task()", "split_fn()");
    s.require(s.result.made.size() < s.call->degree, "sub_task()", "split_fn() split_degree() times; this is once more");
    s.settle_counter();
    s.result.made.push_back(s.copy_message("sub_task", task, bytes));
}

unsigned split_degree() {
    return static_cast<unsigned>(me().call->degree);
}

unsigned sub_results() {
    State& s = me();
    s.require(s.call->function == Function::Join, "sub_results()", "join_fn()");
    return static_cast<unsigned>(s.parts.size());
}

const void* sub_result(unsigned index, unsigned* bytes) {
    State& s = me();
    s.require(s.call->function == Function::Join, "sub_result()", "join_fn()");
    s.require(index < s.parts.size(), "sub_result()", "join_fn() with an index below sub_results()");
    if (bytes != nullptr) *bytes = s.parts[index].second;
    return s.parts[index].first;
}

unsigned node() {
    me().notice(about_an_allocation);
    return me().node.value();
}

void work(Cycles cycles) {
    State& s = me();
    if (s.program.costs.source == CostSource::Explicit) s.on_caller([&] { s.charge(cycles); });
}

constexpr unsigned long long most_work = 1'000'000'000'000;  // cycles or microseconds: 11 days and more

unsigned long long sensible(const char* function, unsigned long long amount) {
    if (amount <= most_work) return amount;
    me().stop(Problem::TooLarge, std::string("calls ") + function + "(" + std::to_string(amount) + "), which is more than days",
              "look for a negative number or an overflow in what it computes");
}

void work_us(unsigned long long microseconds) {
    const auto time = vocabulary::SimTime::us(static_cast<std::int64_t>(sensible("work_us", microseconds)));
    work(me().environment->cycles_of(time));
}

void work_cycles(unsigned long long cycles) {
    work(Cycles(static_cast<std::int64_t>(sensible("work_cycles", cycles))));
}

void work_operations(int kind, unsigned long long count) {
    State& s = me();
    if (kind < 0 || static_cast<std::size_t>(kind) >= operation_kinds)
        s.stop(Problem::WrongCall, "calls work_operations(" + std::to_string(kind) + "), which is not a kind of operation",
               "take one of enum trek_operation");
    const auto each = static_cast<std::int64_t>(s.program.costs.operations[static_cast<std::size_t>(kind)]);
    work(s.program.in_external_memory(static_cast<std::int64_t>(sensible("work_operations", count)) * each));
}

// Memory

// A block remembers its size, as a real allocator's header does (hw_model/arena).
constexpr std::size_t block_header = 8;
void* allocate(std::size_t bytes, std::size_t alignment) {
    State& s = me();
    s.notice(about_an_allocation);
    if (bytes > UINT32_MAX || !s.environment->take_memory(bytes + block_header)) return nullptr;
    std::byte* block = s.allocate(s.program.memory.heap(s.node), bytes, alignment);
    if (block == nullptr) s.environment->give_back_memory(bytes + block_header);
    return block;
}

void release(void* block) {
    State& s = me();
    if (block == nullptr) return;
    NodeHeap& heap = s.program.memory.heap(s.node);
    if (s.program.memory.messages(s.node).is_block(block))
        return s.tell(Problem::NeverAllocated, "frees a task or result that it was given",
                      "leave it: the runtime frees it when the function returns");
    std::size_t bytes = 0;
    const NodeHeap::Freed how = heap.release(block, bytes);
    if (how == NodeHeap::Freed::Yes || how == NodeHeap::Freed::Overrun) s.environment->give_back_memory(bytes + block_header);
    switch (how) {
        case NodeHeap::Freed::Yes:
            return;
        case NodeHeap::Freed::Twice:
            return s.tell(Problem::FreedTwice, "frees a block of memory that it has freed before",
                          "let one place own the block, and set the pointer to 0 when it is freed");
        case NodeHeap::Freed::Overrun:
            return s.tell(Problem::Overrun, "frees a block of " + std::to_string(bytes) + " bytes after writing past its end",
                          "look for an index that is one too large, or a size counted in elements");
        case NodeHeap::Freed::NeverAllocated:
            break;
    }
    const auto place = s.program.memory.place_of(reinterpret_cast<std::uintptr_t>(block));
    std::string what = "frees an address that was never allocated";
    if (place && place->node != s.node) what = "frees memory of n" + std::to_string(place->node.value());
    s.tell(Problem::NeverAllocated, what, "free only a pointer that malloc() or new returned on the same node");
}

std::size_t block_bytes(const void* block) {
    State& s = me();
    const std::size_t bytes = s.program.memory.heap(s.node).block_bytes(block);
    if (bytes == 0 && !s.program.memory.heap(s.node).is_block(block))
        s.tell(Problem::NeverAllocated, "passes realloc() an address that was never allocated",
               "pass a pointer that malloc() or realloc() returned and that is not freed");
    return bytes;
}

// Text, files, time

void write(const char* text, std::size_t bytes) {
    me().write({text, bytes});
}

std::size_t read(void* buffer, std::size_t bytes) {
    State& s = me();
    s.received.resize(std::min<std::size_t>(bytes, std::size_t{1} << 20));
    s.on_caller([&s] { s.received.resize(s.environment->read(s.received)); });
    const std::size_t got = s.received.size();
    if (got > 0) std::memcpy(buffer, s.received.data(), got);
    Bytes().swap(s.received);
    return got;
}

void save(const char* name, const void* data, std::size_t bytes) {
    State& s = me();
    const std::string file(name == nullptr ? "" : name);
    if (!plain_file_name(file))
        s.stop(Problem::WrongCall, "calls trek_save() with the name '" + file.substr(0, 100) + "'",
               "give a plain file name: letters, digits, '.', '_' and '-', no folder");
    const Bytes content = s.copy_message("trek_save", data, bytes);
    s.on_caller([&] { s.environment->save(file, content); });
}

unsigned long long clock_us() {
    State& s = me();
    s.settle_counter();
    s.notice(about_a_call);
    return s.environment->clock_us();
}

void spent() {
    me().spent();
}

void refuse(const char* function, const char* advice) {
    State& s = me();
    if (!s.refuse(std::string("calls ") + function + ", which a node does not have", advice)) s.stack.abandon();
}

void end(const char* what, const char* advice) {
    me().stop(Problem::EndedItself, what,
              advice != nullptr ? advice : "return from the function instead; its process ends here and the farm waits for it");
}

void no_memory(std::size_t bytes) {
    me().tell(Problem::OutOfMemory,
              "asks new for " + std::to_string(bytes) + " bytes, and the node has not so much memory left",
              "use less, give the node more RAM in the machine file, or catch std::bad_alloc");
}

// Monitor

void event(unsigned number, long long value) {
    State& s = me();
    s.notice(about_a_call);
    s.on_caller([&] { s.environment->user_event(number, static_cast<std::uint64_t>(value)); });
}

void monitor(const char* classes, int on) {
    State& s = me();
    s.notice(about_a_call);
    const std::string names(classes == nullptr ? "" : classes);
    s.on_caller([&] { s.knows_classes = s.environment->switch_event_classes(names, on != 0); });
    if (!s.knows_classes)
        s.tell(Problem::WrongCall, "calls trek_monitor() with '" + names.substr(0, 100) + "', which names no class of events",
               "give task, message, process, usage or user, several with '+' between, or all");
}

// Wraps each of these functions. The fence is open while Magicwire's code runs, the caller's errno stays, and there is room on
// the stack.
template <auto function>
struct Entry;
template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct Entry<function> {
    static Result call(Arguments... arguments) {
        clear_flags_of_the_program();
        SystemFence::open();
        const int error = errno;
        if (State::current == nullptr) return Result();  // the C library has kept a function of a program for later
        me().stack.entered_at(__builtin_frame_address(0));
        me().require_room(__builtin_frame_address(0));
        if constexpr (std::is_void_v<Result>) {
            function(arguments...);
            errno = error;
            SystemFence::close();
        } else {
            const Result result = function(arguments...);
            errno = error;
            SystemFence::close();
            return result;
        }
    }
};

constexpr trek_support_table table = {.do_task = Entry<do_task>::call,
                                      .total_tasks = Entry<total_tasks>::call,
                                      .get_result = Entry<get_result>::call,
                                      .result_task = Entry<result_task>::call,
                                      .return_result = Entry<return_result>::call,
                                      .sub_task = Entry<sub_task>::call,
                                      .split_degree = Entry<split_degree>::call,
                                      .sub_results = Entry<sub_results>::call,
                                      .sub_result = Entry<sub_result>::call,
                                      .node = Entry<node>::call,
                                      .work_us = Entry<work_us>::call,
                                      .work_cycles = Entry<work_cycles>::call,
                                      .work_operations = Entry<work_operations>::call,
                                      .allocate = Entry<allocate>::call,
                                      .release = Entry<release>::call,
                                      .block_bytes = Entry<block_bytes>::call,
                                      .write = Entry<write>::call,
                                      .read = Entry<read>::call,
                                      .save = Entry<save>::call,
                                      .clock_us = Entry<clock_us>::call,
                                      .spent = Entry<spent>::call,
                                      .refuse = Entry<refuse>::call,
                                      .end = Entry<end>::call,
                                      .no_memory = Entry<no_memory>::call,
                                      .event = Entry<event>::call,
                                      .monitor = Entry<monitor>::call};

}  // namespace

const trek_support_table& call_table() {
    return table;
}

}  // namespace farm_programs
