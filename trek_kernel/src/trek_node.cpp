#include <algorithm>

#include "bundle.hpp"
#include "recovery.hpp"

namespace trek_kernel {

using trollius_os::Priority;

TrekNode::TrekNode(trollius_os::Kernel& kernel, NodeSetup setup, Spares& spares)
    : kernel_(kernel), setup_(std::move(setup)), spares_(spares), counts_(setup_.config.nodes) {
    for (const Branch& branch : setup_.place.children) {
        children_.push_back(std::make_unique<Child>());
        children_.back()->at = branch;
        children_.back()->index = children_.size() - 1;
    }
    std::uint32_t workers = is_manager() ? 0 : 1;
    for (const auto& child : children_) workers += child->at.workers;
    places_ = workers * (1 + setup_.config.buffers);
    distribution_ = make_distribution(setup_.config.policy, children_.size());
    counts_missing_ = children_.size();
    if (is_manager()) forming_ = std::make_unique<Bundler>(setup_.config.granularity);
    if (distribution_->steals() && setup_.place.parent)
        has_siblings_ = setup_.config.children(setup_.place.parent->node).size() > 1;
    if (setup_.config.survives) recovery_ = std::make_unique<Recovery>(*this);
}

TrekNode::~TrekNode() = default;

void TrekNode::spawn(const char* name, Priority priority, std::function<void(Api&)> code) {
    if (kernel_.create({name, priority, 0, setup_.costs.process_stack, std::move(code)}) == nullptr) short_of_memory_ = true;
}

bool TrekNode::start() {
    if (setup_.place.parent) {
        spawn("trek.in", Priority::High, [this](Api& api) { input(api, *setup_.place.parent, nullptr); });
        spawn("trek.out", Priority::High, [this](Api& api) { output_to_parent(api); });
    }
    for (auto& child : children_) {
        spawn("trek.in", Priority::High, [this, c = child.get()](Api& api) { input(api, c->at, c); });
        spawn("trek.out", Priority::High, [this, c = child.get()](Api& api) { output_to_child(api, *c); });
    }
    const Priority managers = setup_.config.managers_high ? Priority::High : Priority::Low;  // and split and join
    spawn("trek.data", managers, [this](Api& api) { data_manager(api); });
    spawn("trek.result", managers, [this](Api& api) { result_manager(api); });
    if (recovery_) recovery_->start();
    if (is_manager()) return !short_of_memory_;
    const auto spawn_user = [&](const char* name, Priority priority, UserProcess process, auto code) {
        if (is_created(*setup_.application, process, kernel_, setup_.witnesses)) spawn(name, priority, code);
    };
    spawn_user("trek.compute", Priority::Low, UserProcess::Compute, [this](Api& api) { computation(api); });
    if (!divides() || children_.empty()) return !short_of_memory_;
    spawn_user("trek.split", managers, UserProcess::Split, [this](Api& api) { splitter(api); });
    spawn_user("trek.join", managers, UserProcess::Join, [this](Api& api) { joiner(api); });
    return !short_of_memory_;
}

void TrekNode::wake(trollius_os::Thread* thread) {
    if (thread != nullptr) kernel_.port().wake(*thread);
}

void TrekNode::observe(Api& api, const Item& item, NodeId peer, bool sent) {
    if (terminated_ && !sent) return;  // TrEK has ended here; later arrivals are thrown away
    const TaskMoved moved{kernel_.node(),
                          peer,
                          sent,
                          item.kind == Kind::Result,
                          item.id.task,
                          item.id.subtask,
                          static_cast<std::uint32_t>(item.body.size()),
                          tasks_in(item)};
    for (Witness* witness : setup_.witnesses) witness->on_moved(moved, api.port().now());
    for (ProbePoint* probe : setup_.probes) probe->on_moved(moved, api);
}

void TrekNode::step(Api& api, const Item& item, UserProcess process, Moment moment) {
    const TaskStep what{kernel_.node(), process, moment, item.id.task, item.id.subtask};
    note_step(process, moment, item.id);
    for (Witness* witness : setup_.witnesses) witness->on_step(what, api.port().now());
    for (ProbePoint* probe : setup_.probes) probe->on_step(what, api);
}

// The manager's side of do_task(), get_result() and the end.

void TrekNode::put_task(Api& api, std::span<const std::byte> task, const Output& how) {
    generator_thread_ = &api.port().self();
    auto item = std::make_unique<Item>(Item{Kind::Task, {next_task_++, 0}, {task.begin(), task.end()}});
    item->priority = how.priority;
    emit(api, std::move(item), how, [&](ItemPtr out) { forming_->add(std::move(out)); });
    if (next_task_ % setup_.config.granularity == 0) flush_tasks(api);
}

void TrekNode::flush_tasks(Api& api) {
    forming_->close([&](ItemPtr out) {
        while (buffer_.size() >= setup_.config.buffers) api.port().wait();
        account_.issued += tasks_in(*out);
        task_arrived(api, std::move(out));
    });
}

Bytes TrekNode::take_result(Api& api, TaskIdentity* whose) {
    receiver_thread_ = &api.port().self();
    while (collected_.empty()) api.port().wait();
    api.charge(setup_.costs.queue_operation);
    ItemPtr item = std::move(collected_.front());
    collected_.pop_front();
    let_go(*item);
    ++taken_;
    if (whose != nullptr) *whose = item->id;
    for (Witness* witness : setup_.witnesses)
        witness->on_result({item->id.task, item->id.subtask, item->body}, api.port().now());
    return std::move(item->body);
}

std::vector<std::uint32_t> TrekNode::stop_farm(Api& api) {
    terminated_ = true;
    stopping_thread_ = &api.port().self();
    for (trollius_os::Thread* thread : short_of_room_) wake(thread);
    stop_arrived(api);
    while (counts_missing_ > 0) api.port().wait();
    counts_[0] = computed_;  // nothing, unless all others are dead
    return counts_;
}

}  // namespace trek_kernel
