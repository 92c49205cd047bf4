// The functions of trek.h that only farm programs have.
#include <algorithm>

#include <farm_programs/farm_program.hpp>
#include <farm_programs/program_application.hpp>
#include <user_programs/call_gate.hpp>

#include "../support/trek_calls.h"
#include "trek_table.hpp"

namespace farm_programs {

using trek_kernel::Bytes;
using user_programs::CallGate;

namespace {

constexpr const char* smaller_messages = "make smaller tasks and results, or fewer parts of a task";

std::string no_room(std::size_t bytes) {
    return "is given a message of " + std::to_string(bytes) +
           " bytes, and the node has no room for it beside its other messages";
}

}  // namespace

void FarmProcess::require(bool allowed, const char* what, const char* who) {
    if (!allowed) stop(Problem::WrongCall, std::string("calls ") + what + ", which is for " + who, "move the call there");
}

std::byte* FarmProcess::lend_or_end(std::span<const std::byte> bytes) {
    if (std::byte* block = lend(bytes)) return block;
    take_back_all();
    Diagnosis made = diagnosis(Problem::OutOfMemory, no_room(bytes.size()), smaller_messages);
    made.outcome = "its process has ended";
    environment().diagnose(std::move(made));
    throw trek_kernel::ProcessEnds{};
}

void FarmProcess::do_task(const void* task, std::size_t bytes, int priority) {
    require(call_->function == Function::DataGenerator, "do_task()", "data_generator()");
    sent_ = copy_message("do_task", task, bytes);
    log_message(flowback_log::Passed::Task, {tasks_made_++, 0}, task, bytes);
    on_caller([&] { farm_->do_task(sent_, priority); });
}

unsigned FarmProcess::total_tasks() {
    return farm_->total_tasks();
}

const void* FarmProcess::get_result(unsigned* bytes) {
    require(call_->function == Function::ResultReceiver, "get_result()", "result_receiver()");
    on_caller([this] { received_ = farm_->get_result(got_identity_); });
    if (got_ != nullptr && forget_loan(got_)) take_back(got_);
    got_ = lend(received_);
    const std::size_t size = received_.size();
    Bytes().swap(received_);
    if (got_ == nullptr) stop(Problem::OutOfMemory, no_room(size), smaller_messages);
    log_message(flowback_log::Passed::Got, got_identity_, got_, size);
    if (bytes != nullptr) *bytes = static_cast<unsigned>(size);
    return got_;
}

unsigned FarmProcess::result_task() {
    require(got_ != nullptr, "result_task()", "result_receiver() after get_result()");
    return got_identity_.task;
}

void FarmProcess::return_result(const void* result, std::size_t bytes) {
    require(in(Function::Compute, Function::Join), "return_result()", "compute_fn() and join_fn()");
    require(result_.made.empty(), "return_result()", "compute_fn() and join_fn() once; this is the second time");
    settle_counter();
    result_.made.push_back(copy_message("return_result", result, bytes));
    log_message(flowback_log::Passed::Result, call_->task, result, bytes);
}

void FarmProcess::sub_task(const void* task, std::size_t bytes) {
    require(call_->function == Function::Split, "sub_task()", "split_fn()");
    require(result_.made.size() < call_->degree, "sub_task()", "split_fn() split_degree() times; this is once more");
    settle_counter();
    const auto branch = static_cast<std::uint32_t>(result_.made.size());
    result_.made.push_back(copy_message("sub_task", task, bytes));
    log_message(flowback_log::Passed::Part, {call_->task.task, branch}, task, bytes);
}

unsigned FarmProcess::sub_results() {
    require(call_->function == Function::Join, "sub_results()", "join_fn()");
    return static_cast<unsigned>(parts_.size());
}

const void* FarmProcess::sub_result(unsigned index, unsigned* bytes) {
    require(call_->function == Function::Join, "sub_result()", "join_fn()");
    require(index < parts_.size(), "sub_result()", "join_fn() with an index below sub_results()");
    if (bytes != nullptr) *bytes = parts_[index].second;
    return parts_[index].first;
}

void FarmProcess::save(const char* name, const void* data, std::size_t bytes) {
    const std::string file(name == nullptr ? "" : name);
    if (!plain_file_name(file))
        stop(Problem::WrongCall, "calls trek_save() with the name '" + file.substr(0, 100) + "'",
             "give a plain file name: letters, digits, '.', '_' and '-', no folder");
    const Bytes content = copy_message("trek_save", data, bytes);
    on_caller([&] { farm_->save(file, content); });
}

void FarmProcess::event(unsigned number, long long value) {
    notice(user_programs::about_a_call);
    on_caller([&] { farm_->user_event(number, static_cast<std::uint64_t>(value)); });
}

void FarmProcess::monitor(const char* classes, int on) {
    notice(user_programs::about_a_call);
    const std::string names(classes == nullptr ? "" : classes);
    on_caller([&] { knows_classes_ = farm_->switch_event_classes(names, on != 0); });
    if (!knows_classes_)
        tell(Problem::WrongCall, "calls trek_monitor() with '" + names.substr(0, 100) + "', which names no class of events",
             "give task, message, process, usage or user, several with '+' between, or all");
}

namespace {

FarmProcess& me() {
    return static_cast<FarmProcess&>(*user_programs::ProgramProcess::current());
}

void do_task(const void* task, std::size_t bytes, int priority) {
    me().do_task(task, bytes, priority);
}
unsigned total_tasks() {
    return me().total_tasks();
}
const void* get_result(unsigned* bytes) {
    return me().get_result(bytes);
}
unsigned result_task() {
    return me().result_task();
}
void return_result(const void* result, std::size_t bytes) {
    me().return_result(result, bytes);
}
void sub_task(const void* task, std::size_t bytes) {
    me().sub_task(task, bytes);
}
unsigned split_degree() {
    return me().split_degree();
}
unsigned sub_results() {
    return me().sub_results();
}
const void* sub_result(unsigned index, unsigned* bytes) {
    return me().sub_result(index, bytes);
}
void save(const char* name, const void* data, std::size_t bytes) {
    me().save(name, data, bytes);
}
void event(unsigned number, long long value) {
    me().event(number, value);
}
void monitor(const char* classes, int on) {
    me().monitor(classes, on);
}

constexpr trek_calls table = {.do_task = CallGate<do_task>::call,
                              .total_tasks = CallGate<total_tasks>::call,
                              .get_result = CallGate<get_result>::call,
                              .result_task = CallGate<result_task>::call,
                              .return_result = CallGate<return_result>::call,
                              .sub_task = CallGate<sub_task>::call,
                              .split_degree = CallGate<split_degree>::call,
                              .sub_results = CallGate<sub_results>::call,
                              .sub_result = CallGate<sub_result>::call,
                              .save = CallGate<save>::call,
                              .event = CallGate<event>::call,
                              .monitor = CallGate<monitor>::call};

}  // namespace

const trek_calls& trek_table() {
    return table;
}

}  // namespace farm_programs
