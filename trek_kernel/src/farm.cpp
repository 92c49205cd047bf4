#include <trek_kernel/farm.hpp>

#include <trollius_os/services.hpp>
#include <vocabulary/contract.hpp>

#include "trek_node.hpp"

namespace trek_kernel {

using trollius_os::Api;
using trollius_os::Calls;
using trollius_os::Priority;

// data_generator or result_receiver with the calls it may make.
class Farm::MasterProcess final : public Master {
public:
    MasterProcess(Farm& farm, MasterCalls& calls, Api* api) : farm_(farm), calls_(calls), api_(api) {}
    void attach(Api& api) { api_ = &api; }

    void do_task(std::span<const std::byte> task, const Output& how) override {
        const std::uint32_t number = calls_.next_task();
        tell(UserProcess::Generate, MasterMoment::Called, number);
        const FunctionInput made{vocabulary::NodeId(0), UserProcess::Generate, number, 0, std::span(&task, 1)};
        for (Witness* witness : farm_.setup_.witnesses) witness->on_input(made, api_->port().now());
        calls_.put_task(*api_, task, how);
        tell(UserProcess::Generate, MasterMoment::Back, number);
    }
    std::uint32_t next_task() const override { return calls_.next_task(); }
    Bytes get_result(TaskIdentity* whose) override {
        tell(UserProcess::PostProcess, MasterMoment::Called, 0);
        TaskIdentity taken;
        Bytes result = calls_.take_result(*api_, &taken);
        tell(UserProcess::PostProcess, MasterMoment::Back, taken.task);
        count(taken.task);
        if (whose != nullptr) *whose = taken;
        return result;
    }
    // A second result of a task, and one with an unknown number, are not counted.
    std::uint32_t tasks_taken() const { return tasks_taken_; }
    void tell(UserProcess process, MasterMoment moment, std::uint32_t task) {
        for (Witness* witness : farm_.setup_.witnesses) witness->on_master({process, moment, task}, api_->port().now());
    }
    std::uint32_t total_tasks() const override { return farm_.setup_.config.tasks; }
    Api& api() override { return *api_; }
    Context context(UserProcess process, TaskIdentity identity) override {
        return {*api_, process, identity, farm_.setup_.witnesses};
    }

private:
    void count(std::uint32_t task) {
        if (taken_.empty()) taken_.resize(total_tasks());
        if (task >= taken_.size() || taken_[task]) return;
        taken_[task] = true;
        ++tasks_taken_;
    }

    Farm& farm_;
    MasterCalls& calls_;
    Api* api_;
    std::vector<bool> taken_;  // index: task
    std::uint32_t tasks_taken_ = 0;
};

Farm::Farm(FarmSetup setup) : setup_(std::move(setup)), spares_(std::make_unique<Spares>()), nodes_(setup_.config.nodes) {}
Farm::~Farm() = default;

trollius_os::Program Farm::master() {
    return {setup_.program_bytes, setup_.costs.process_stack,
            [this](Api& api, const trollius_os::Arguments&) { run_master(api); }};
}

trollius_os::Program Farm::slave() {
    return {setup_.program_bytes, setup_.costs.process_stack,
            [this](Calls& calls, const trollius_os::Arguments&) { return run_slave(calls); }};
}

void Farm::place(std::vector<TreePlace> places) {
    EXPECTS(started_ == 0 && places.size() == setup_.places.size(), "farm.place.before_it_starts");
    setup_.places = std::move(places);
}

void Farm::short_of_memory(Calls& calls) {
    failure_ = "n" + std::to_string(calls.node().value()) +
               " has too little memory for TrEK's processes; give it more RAM in the machine file, or lower trek.process_stack";
}

// A damaged request can start the wrong program on a node, the right one twice, or one where the farm has no node. On the
// machine the two would take each other's messages; here the second does nothing.
bool Farm::belongs_here(Calls& calls, bool is_master) const {
    const std::size_t node = calls.node().value();
    if (setup_.config.has(calls.node()) && !nodes_[node] && (node == 0) == is_master) return true;
    calls.kernel().drop("trek", "a program that does not belong on this node, or a second one");
    return false;
}

coroutines::Task<> Farm::run_slave(Calls& calls) {
    if (!belongs_here(calls, false)) co_return;
    ++started_;
    auto& node = nodes_[calls.node().value()];
    node = std::make_unique<TrekNode>(calls, setup_, *spares_);
    if (!node->start()) short_of_memory(calls);
    while (true) co_await calls.wait();  // its threads do the rest; `state` shows it alive
}

void Farm::run_master(Api& api) {
    if (!belongs_here(api.calls(), true)) return;
    ++started_;
    const std::uint64_t began = api.port().clock_us(Priority::Low);
    nodes_[0] = std::make_unique<TrekNode>(api.calls(), setup_, *spares_);
    TrekNode& node = *nodes_[0];
    MasterProcess init(*this, node.master_calls(), &api);
    api.yield();  // the node's other work at its start comes first
    setup_.application->init_master(init);
    if (!node.start()) short_of_memory(api.calls());

    int running = 2;
    trollius_os::Thread& self = api.port().self();
    const auto user_process = [&](const char* name, UserProcess kind, auto body) {
        master_processes_.push_back(std::make_unique<MasterProcess>(*this, node.master_calls(), nullptr));
        MasterProcess& master = *master_processes_.back();
        const auto code = [&running, &self, &master, kind, body](Api& its) {
            master.attach(its);
            its.yield();
            master.tell(kind, MasterMoment::Began, 0);
            try {
                body(master);
                master.tell(kind, MasterMoment::Returned, 0);
            } catch (const ProcessEnds&) {
                master.tell(kind, MasterMoment::Ended, 0);
                if (kind == UserProcess::Generate)
                    return;  // a dead generator has not returned: the receiver waits for the missing results
            }
            --running;
            its.wake(self);
        };
        if (!is_created(*setup_.application, kind, api.kernel(), setup_.witnesses)) return;  // and so it never returns
        if (api.kernel().create({.name = name,
                                 .priority = Priority::Low,
                                 .stack_bytes = setup_.costs.process_stack,
                                 .code = code,
                                 .thread_of = &api.process()}) == nullptr)
            short_of_memory(api.calls());
    };
    user_process("data_generator", UserProcess::Generate, [this, &node](Master& m) {
        setup_.application->data_generator(m);
        node.master_calls().flush_tasks(m.api());
    });
    user_process("result_receiver", UserProcess::PostProcess, [this](Master& m) { setup_.application->result_receiver(m); });
    while (running > 0) api.wait();

    result_.returned = api.port().now();
    result_.distribution = node.stop_farm(api);
    result_.execution_us = api.port().clock_us(Priority::Low) - began;
    result_.taken = 0;
    for (const auto& process : master_processes_) result_.taken += process->tasks_taken();
    result_.report = final_report();
    trollius_os::print(api, setup_.host, result_.report);
    result_.finished = true;
    while (true) api.wait();
}

std::vector<Standing> Farm::standing() const {
    std::vector<Standing> result;
    for (const auto& node : nodes_) {
        if (node) node->add_standing(result);
    }
    return result;
}

ResultQueue Farm::result_queue(NodeId node) const {
    return node.value() < nodes_.size() && nodes_[node.value()] ? nodes_[node.value()]->result_queue() : ResultQueue{};
}

TaskAccount Farm::account() const {
    return nodes_[0] ? nodes_[0]->account() : TaskAccount{};
}

std::string Farm::final_report() const {
    static constexpr const char* configuration[] = {"", "Linear Chain", "Binary Tree", "Ternary Tree", "Given Tree"};
    std::string text =
        "Execution time = " + std::to_string(result_.execution_us) + " microseconds\n***** Final Report*****\nConfiguration : ";
    text += configuration[static_cast<std::size_t>(setup_.config.tree)];
    text += "\nTotal Nodes = " + std::to_string(setup_.config.members().size()) +
            "\nGranularity = " + std::to_string(setup_.config.granularity) +
            "\nTotal Buffers = " + std::to_string(setup_.config.buffers) + "\nTask Distribution:\n";
    for (std::size_t i = 0; i < result_.distribution.size(); ++i)
        text += "Node " + std::to_string(i) + "   " + std::to_string(result_.distribution[i]) + " Tasks\n";
    return text + "Results taken = " + std::to_string(result_.taken) + "\n";
}

}  // namespace trek_kernel
