#include <farm_programs/program_application.hpp>

#include <algorithm>
#include <utility>

#include <farm_programs/readings.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/source_position.hpp>

namespace farm_programs {

using trek_kernel::Bytes;
using trek_kernel::Context;
using trek_kernel::Master;
using vocabulary::NodeId;

bool plain_file_name(const std::string& name) {
    return !name.empty() && name.size() <= 100 && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    });
}

bool ProgramReport::found() const {
    return !diagnoses.empty();
}

std::vector<std::string> ProgramReport::silent() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < functions; ++i) {
        const auto function = static_cast<Function>(i);
        const bool counts = function == Function::Compute || function == Function::Split || function == Function::Join;
        if (costs == CostSource::Explicit && counts && charged[i].calls > 0 && charged[i].cycles.count() == 0)
            names.emplace_back(function_name(function));
    }
    return names;
}

std::vector<std::string> ProgramReport::mismatches() const {
    std::vector<std::string> sentences;
    const std::string total = std::to_string(exchange.total_tasks), made = std::to_string(exchange.tasks_made);
    const bool too_few = exchange.generated && exchange.tasks_made < exchange.total_tasks;
    if (too_few || exchange.tasks_made > exchange.total_tasks)
        sentences.push_back("data_generator() made " + made + " tasks, total_tasks is " + total +
                            "; call do_task() total_tasks() times, or change total_tasks");
    if (exchange.received && exchange.results_taken < exchange.tasks_made)
        sentences.push_back("result_receiver() took " + std::to_string(exchange.results_taken) + " results of " + made +
                            " tasks, and the farm ended with the others outstanding; call get_result() once for each task");
    return sentences;
}

// The place where a process of the program runs: on a node of the modelled machine.
class ProgramApplication::Seat final : public Environment {
public:
    Seat(trollius_os::Api& api, Master* master, ProgramApplication& of, Function function)
        : api_(api), master_(master), of_(of), function_(function) {}

    // Makes the records of what the program has read since the last time.
    void settle() {
        account();
        for (const std::uint64_t value : std::exchange(clock_readings_, {})) keep(Reading::Clock, value);
    }
    // Reported while the function runs: it need not end.
    void account() { of_.report_.charged[static_cast<std::size_t>(function_)] = of_.program_.charged(function_); }

    NodeId node() const override { return api_.node(); }
    void do_task(std::span<const std::byte> task, std::int32_t priority) override {
        settle();
        master_->do_task(task, {.priority = priority});
        ++of_.report_.exchange.tasks_made;
    }
    Bytes get_result(trek_kernel::TaskIdentity& whose) override {
        settle();
        Bytes result = master_->get_result(&whose);
        ++of_.report_.exchange.results_taken;
        return result;
    }
    std::uint32_t total_tasks() const override { return master_ == nullptr ? 0 : master_->total_tasks(); }
    void charge(vocabulary::Cycles cycles) override {
        settle();
        api_.port().compute(cycles).get();
    }
    void charge_log(vocabulary::Cycles cycles) override {
        settle();
        api_.port().charge_for(flowback_unload::accounts::log, cycles);
        api_.port().compute({}).get();
    }
    void send_log(std::uint32_t number, std::span<std::byte> block) override {
        settle();
        flowback_unload::send_block(api_, static_cast<std::uint32_t>(function_), number, block);
    }
    vocabulary::Cycles cycles_of(vocabulary::SimTime time) const override { return api_.port().cycles(time); }
    // On the program's stack, where no record can be made.
    std::uint64_t clock_us() const override {
        const std::uint64_t now = api_.port().clock_us(trollius_os::Priority::Low);
        if (api_.kernel().monitor() != nullptr) clock_readings_.push_back(now);
        return now;
    }
    bool take_memory(std::uint64_t bytes) override { return api_.port().take_memory(bytes); }
    void give_back_memory(std::uint64_t bytes) override { api_.port().give_back_memory(bytes); }
    void print(const std::string& text) override {
        settle();
        trollius_os::print(api_, api_.kernel().host(), text);
    }
    void save(const std::string& name, Bytes content) override {
        settle();
        trollius_os::save_file(api_, api_.kernel().host(), name, content);
    }
    std::size_t read(std::span<std::byte> room) override {
        settle();
        const std::size_t bytes = trollius_os::read_input(api_, api_.kernel().host(), room);
        keep(room.first(bytes));
        return bytes;
    }
    void user_event(std::uint32_t number, std::uint64_t value) override {
        settle();
        api_.user_event(number, value);
    }
    bool switch_event_classes(const std::string& classes, bool on) override {
        settle();
        return api_.switch_event_classes(classes, on);
    }
    void diagnose(Diagnosis diagnosis) override {
        account();
        of_.report_.diagnoses.add(std::move(diagnosis));
    }
    [[noreturn]] void fault() override {
        api_.port().crash();
        while (true) api_.wait();
    }

private:
    void keep(Reading what, std::uint64_t value) { api_.user_event(reading_number(function_, what), value); }
    void keep(std::span<const std::byte> input) {
        keep(Reading::InputLength, input.size());
        for (std::size_t at = 0; at < input.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t value = 0;
            const std::size_t end = std::min(at + sizeof value, input.size());
            for (std::size_t i = end; i-- > at;) value = value << 8 | std::to_integer<std::uint64_t>(input[i]);
            keep(Reading::InputBytes, value);
        }
    }

    trollius_os::Api& api_;
    mutable std::vector<std::uint64_t> clock_readings_;  // of which no record is made yet
    Master* master_;
    ProgramApplication& of_;
    Function function_;
};

ProgramApplication::ProgramApplication(const std::string& path, ProgramCosts costs, bool divides, ProgramReport& report)
    : program_(path, std::move(costs)), report_(report) {
    report_.program = path;
    report_.costs = program_.costs().source;
    for (const Function needed : {Function::Split, Function::Join}) {
        if (!divides || program_.has(needed)) continue;
        throw vocabulary::RequestError("program " + path + " has no " + function_name(needed) +
                                       "(), which a farm that divides its tasks needs; write it, or set farm.degree to 1");
    }
}

ProgramApplication::~ProgramApplication() {
    finish_logs();
}

void ProgramApplication::keep_flowback_logs(flowback_unload::LogKeeping keeping) {
    logs_ = std::move(keeping);
}

void ProgramApplication::finish_logs() {
    if (!logs_) return;
    for (const auto& [which, its] : processes_) {
        if (its->kept_log() != nullptr) report_.logs.add(its->kept_log()->finish());
    }
    logs_.reset();
}

// The log of a process that has just been made.
void ProgramApplication::begin_log(FarmProcess& made, NodeId node, Function function, bool of_master) {
    const auto name_of = [&](Function which) { return "n" + std::to_string(node.value()) + "." + function_name(which); };
    flowback_log::Recorder::Process its{.name = name_of(function)};
    if (of_master) {
        its.like = name_of(Function::InitMaster);
        its.shared = process(node, Function::InitMaster).shared_heap();
    }
    made.keep_flowback_log(logs_->begin(std::move(its), node, static_cast<std::uint32_t>(function)));
}

FarmProcess& ProgramApplication::process(NodeId node, Function function) {
    if (const auto found = processes_.find({node, function}); found != processes_.end()) return *found->second;
    const bool of_master = function == Function::DataGenerator || function == Function::ResultReceiver;
    FarmProcess& made = program_.create_process(node, of_master ? &process(node, Function::InitMaster) : nullptr);
    if (logs_) begin_log(made, node, function, of_master);
    processes_[{node, function}] = &made;
    return made;
}

CallResult ProgramApplication::run(trollius_os::Api& api, Master* master, const Call& call) {
    Seat seat(api, master, *this, call.function);
    CallResult result = process(api.node(), call.function).run(call, seat);
    seat.settle();
    return result;
}

CallResult ProgramApplication::run_master(Master& master, Function function) {
    return run(master.api(), &master, {.function = function});
}

void ProgramApplication::init_master(Master& master) {
    run_master(master, Function::InitMaster);
}

// data_generator and result_receiver both begin with the state that init_master left.
void ProgramApplication::data_generator(Master& master) {
    report_.exchange.total_tasks = master.total_tasks();
    run_master(master, Function::DataGenerator);
    report_.exchange.generated = true;
}

void ProgramApplication::result_receiver(Master& master) {
    run_master(master, Function::ResultReceiver);
    report_.exchange.received = true;
}

Bytes ProgramApplication::compute(Context& context, std::span<const std::byte> task) {
    CallResult result = run(context.api(), nullptr, {.function = Function::Compute, .task = context.identity(), .body = task});
    return result_of(context, Function::Compute, std::move(result));
}

// A function that returns without a result sends none, and its task never comes back.
Bytes ProgramApplication::result_of(Context& context, Function function, CallResult&& result) {
    if (!result.made.empty()) return std::move(result.made[0]);
    context.output.omitted = true;
    report_.diagnoses.add({.problem = Problem::WrongCall,
                           .node = context.api().node(),
                           .function = function_name(function),
                           .task = number_of(context.identity()),
                           .what = "returns without having called return_result()",
                           .advice = "call it once, on every way through the function",
                           .outcome = "its task never comes back"});
    return {};
}

std::vector<Bytes> ProgramApplication::split(Context& context, std::span<const std::byte> task, std::size_t degree) {
    CallResult result =
        run(context.api(), nullptr, {.function = Function::Split, .task = context.identity(), .body = task, .degree = degree});
    if (result.made.size() == degree) return std::move(result.made);
    report_.diagnoses.add(
        {.problem = Problem::WrongCall,
         .node = context.api().node(),
         .function = function_name(Function::Split),
         .task = number_of(context.identity()),
         .what = "calls sub_task() " + std::to_string(result.made.size()) + " times instead of " + std::to_string(degree),
         .advice = "call it split_degree() times",
         .outcome = "nothing of this task is handed out"});
    context.output.omitted = true;
    return std::vector<Bytes>(degree);
}

Bytes ProgramApplication::join(Context& context, const std::vector<Bytes>& results) {
    CallResult result =
        run(context.api(), nullptr,
            {.function = Function::Join, .task = context.identity(), .parts = results, .degree = results.size()});
    return result_of(context, Function::Join, std::move(result));
}

}  // namespace farm_programs
