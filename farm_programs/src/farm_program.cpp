#include <farm_programs/farm_program.hpp>

#include <array>

#include "trek_table.hpp"

namespace farm_programs {
namespace {

using user_programs::ProgramKind;

// In the order of Function.
constexpr std::array<ProgramKind::Entry, functions> entries = {
    {{"init_master", true}, {"data_generator"}, {"compute_fn"}, {"result_receiver"}, {"split_fn", true}, {"join_fn", true}}};

const ProgramKind& farm_kind() {
    static const ProgramKind kind = {
        .entries = entries,
        .calls = &trek_table(),
        .how_to_build = "`magicwire farm build`, or as examples/programs/CMakeLists.txt does",
        .what_it_needs = "trek_kernel/trek.h lists what a program must have (a C++ program must include it)",
        .instead_of_ending = "return from the function instead; its process ends here and the farm waits for it",
        .one_thread = "a process of the farm is one thread: remove locks and waits",
        .instead_of_constructing = "move its work into init_master() or compute_fn()",
        .manual = "docs/formats/farm_program.md"};
    return kind;
}

}  // namespace

const char* function_name(Function function) {
    return entries[static_cast<std::size_t>(function)].name;
}

FarmProgram::FarmProgram(const std::string& path, ProgramCosts costs) : program_(path, std::move(costs), farm_kind()) {}

FarmProcess& FarmProgram::create_process(vocabulary::NodeId node, const FarmProcess* like) {
    processes_.push_back(std::make_unique<FarmProcess>(program_, node, like));
    return *processes_.back();
}

CallResult FarmProcess::run(const Call& call, Environment& environment) {
    call_ = &call;
    farm_ = &environment;
    result_ = {};
    const End end = ProgramProcess::run(static_cast<std::size_t>(call.function), environment);
    if (end == End::Ended) throw trek_kernel::ProcessEnds{};
    return std::move(result_);
}

void FarmProcess::prepare() {
    parts_.clear();
    task_ = lend_or_end(call_->body);
    for (const trek_kernel::Bytes& part : call_->parts)
        parts_.emplace_back(lend_or_end(part), static_cast<std::uint32_t>(part.size()));
}

vocabulary::Cycles FarmProcess::fixed_cost() const {
    if (call_->function != Function::Compute) return {};
    return farm_->cycles_of(program().costs().times.of(call_->task.task));
}

void FarmProcess::enter(void* code) {
    const auto bytes = static_cast<unsigned>(call_->body.size());
    if (flowback_log() != nullptr) log_call();
    if (in(Function::Compute, Function::Split)) {
        reinterpret_cast<void (*)(const void*, unsigned)>(code)(task_, bytes);
    } else {
        reinterpret_cast<void (*)()>(code)();
    }
}

// The task, or the sub-results, lie where they were lent.
void FarmProcess::log_call() {
    std::vector<flowback_log::Range> message;
    if (in(Function::Compute, Function::Split))
        message.emplace_back(reinterpret_cast<std::uintptr_t>(task_), call_->body.size());
    for (const auto& [part, bytes] : parts_) message.emplace_back(reinterpret_cast<std::uintptr_t>(part), bytes);
    flowback_log()->root(static_cast<std::uint32_t>(call_->function), call_->task.task, call_->task.subtask, message);
}

void FarmProcess::log_message(flowback_log::Passed passed, trek_kernel::TaskIdentity whose, const void* data,
                              std::size_t bytes) {
    if (flowback_log() == nullptr) return;
    flowback_log()->message(passed, whose.task, whose.subtask, {reinterpret_cast<std::uintptr_t>(data), bytes});
}

void FarmProcess::finish() {
    take_back_all();
    got_ = nullptr;
}

void FarmProcess::describe(Diagnosis& diagnosis) const {
    diagnosis.function = function_name(call_->function);
    const bool has_task = in(Function::Compute, Function::Split) || call_->function == Function::Join;
    if (has_task) diagnosis.task = number_of(call_->task);
}

void FarmProcess::exit(int status) {
    stop(Problem::EndedItself, "calls exit(" + std::to_string(status) + ")", program().kind().instead_of_ending);
}

}  // namespace farm_programs
