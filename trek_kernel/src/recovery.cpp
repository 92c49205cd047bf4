#include "recovery.hpp"

#include <algorithm>
#include <iterator>

#include "bundle.hpp"
#include "ending.hpp"
#include "stealing.hpp"

namespace trek_kernel {

Recovery::Recovery(NodeDesk& desk)
    : desk_(desk),
      heartbeat_us_(static_cast<std::uint64_t>(desk.costs.heartbeat.in_us())),
      silence_us_(static_cast<std::uint64_t>(desk.costs.silence.in_us())),
      lines_(desk.children.size()) {}

std::uint64_t Recovery::clock_us() const {
    return desk_.kernel.port().clock_us(trollius_os::Priority::High);
}

bool Recovery::has_living_child() const {
    return std::any_of(desk_.children.begin(), desk_.children.end(), [](const Child& child) { return !child.given_up; });
}

void Recovery::watch(const Child& child) {
    lines_[child.index].watched = true;
    listens(child);
}

// The copy is made before the task leaves, because a task on its way exists nowhere else.
void Recovery::keep(Calls& calls, const Child& child, const Item& task) {
    lines_[child.index].sends_us = clock_us();
    if (task.kind != MessageKind::Task) return;
    calls.charge(desk_.costs.queue_operation);
    Kept kept{task, task.body.size() + desk_.costs.size_message};
    if (!desk_.kernel.port().take_memory(kept.bytes)) {
        desk_.kernel.drop("trek.keep", "no memory for a copy of a task handed to a child", task.id.task, task.id.subtask);
        return;
    }
    lines_[child.index].kept.emplace(std::pair(task.id.task, task.id.subtask), std::move(kept));
}

void Recovery::has_sent(const Branch& to) {
    if (desk_.place.parent && to.node == desk_.place.parent->node) {
        spoke_us_ = clock_us();
        return;
    }
    for (const Child& child : desk_.children) {
        if (child.at.node == to.node) lines_[child.index].sends_us.reset();
    }
}

// A node cannot hear its child while its input process is busy, for example suspended by the monitor.
void Recovery::listens(const Child& child) {
    lines_[child.index].listens_us = clock_us();
}

bool Recovery::hears(const Child& child, const Item& what) {
    if (child.given_up) return false;
    Lifeline& line = lines_[child.index];
    line.listens_us.reset();
    const bool back = what.kind == MessageKind::Result || what.kind == MessageKind::Returned;
    // From here on the task counts as back, whatever becomes of the child. A number that was not handed out comes from a
    // planted bug or a damaged message. It is handled as in any farm.
    const auto found = back ? line.kept.find({what.id.task, what.id.subtask}) : line.kept.end();
    if (found == line.kept.end() || !fits(what, desk_.config.granularity)) return true;
    if (!forget_parts(found->second.task, what)) return true;
    desk_.kernel.port().give_back_memory(found->second.bytes);
    line.kept.erase(found);
    return true;
}

// A bundle may come back in several messages. False: a part of it is not back.
bool Recovery::forget_parts(Item& kept, const Item& back) const {
    const std::uint32_t granularity = desk_.config.granularity;
    if (granularity == 1) return true;
    boost::container::flat_set<std::uint32_t> numbers;
    for_each_part(back.id, back.body, granularity, [&](const TaskIdentity& id, const auto&) { numbers.insert(id.task); });
    Bundler rest(granularity);
    for_each_part(kept.id, kept.body, granularity, [&](const TaskIdentity& id, std::span<const std::byte> body) {
        if (numbers.count(id.task) > 0) return;
        rest.add(std::make_unique<Item>(Item{MessageKind::Task, id, {body.begin(), body.end()}}));
    });
    kept.body.clear();
    rest.close([&](const ItemPtr& bundle) { kept.body = std::move(bundle->body); });
    return kept.body.empty();
}

// No heartbeats before the parent runs, and none after the last message of the farm.
bool Recovery::has_to_speak() const {
    return desk_.started && !desk_.ending->counts_sent() && clock_us() >= spoke_us_ + heartbeat_us_;
}

Task<> Recovery::wait(Calls& calls) const {
    if (!desk_.started || desk_.ending->counts_sent()) {
        co_await calls.wait();
        co_return;
    }
    co_await calls.port().wait_until_clock(spoke_us_ + heartbeat_us_);
}

// A processor farm has passed on the tokens of the places below. When those places are lost, the same number of later tokens is
// withheld. Otherwise the parent would always send more tasks than there are places.
void Recovery::pay_for_lost_places() {
    lost_places_ -= desk_.tokens_up.take(lost_places_);
}

std::uint64_t Recovery::deadline_us(const Child& child) const {
    const Lifeline& line = lines_[child.index];
    const std::uint64_t now = clock_us();
    if (child.given_up || child.counted || !line.watched) return now + silence_us_;
    return std::min(line.listens_us.value_or(now), line.sends_us.value_or(now)) + silence_us_;
}

Task<> Recovery::run_watchdog(Calls& calls) {
    while (!desk_.ending->all_counted()) {
        calls.charge(desk_.costs.decision);
        co_await calls.settle();
        std::uint64_t next = clock_us() + silence_us_;
        for (Child& child : desk_.children) {
            if (deadline_us(child) <= clock_us()) co_await give_up(calls, child);
            next = std::min(next, deadline_us(child));
        }
        co_await calls.port().wait_until_clock(next);
    }
}

Task<> Recovery::give_up(Calls& calls, Child& child) {
    const std::size_t tasks = lines_[child.index].kept.size() + child.queue.size() + child.pending.size();
    calls.charge(desk_.costs.decision + desk_.costs.queue_operation * static_cast<std::int64_t>(tasks));
    co_await calls.settle();
    if (deadline_us(child) > clock_us()) co_return;  // it has spoken meanwhile
    child.given_up = true;
    child.handed_over = 0;
    if (desk_.stealing != nullptr) co_await desk_.stealing->child_lost(child);
    const vocabulary::SimTime now = calls.port().now();
    for (Witness* witness : desk_.probes.witnesses())
        witness->on_given_up(NodeGivenUp{desk_.kernel.node(), child.at.node}, now);
    std::vector<ItemPtr> lost = take_back(child);
    // From the last on: each goes before those that wait already, since it has waited longest.
    if (!desk_.ending->stopping()) std::for_each(lost.rbegin(), lost.rend(), [this](ItemPtr& task) { issue(std::move(task)); });
    co_await desk_.ending->child_lost(child);
    co_await desk_.wake(desk_.tasks.reader);
    co_await desk_.ending->report_finished(calls);
}

// The tasks the child has or is to get. Only a task that has left this node is issued again; the rest go elsewhere for the
// first time.
std::vector<ItemPtr> Recovery::take_back(Child& child) {
    std::vector<ItemPtr> tasks;
    for (auto& [id, kept] : lines_[child.index].kept) {
        desk_.kernel.port().give_back_memory(kept.bytes);
        tasks.push_back(std::make_unique<Item>(std::move(kept.task)));
        tasks.back()->again = true;
        if (!desk_.ending->stopping()) tell(child, *tasks.back());
    }
    lines_[child.index].kept.clear();
    const auto take = [&](Fifo<ItemPtr>& queue) {
        const auto rest = std::stable_partition(queue.begin(), queue.end(),
                                                [](const ItemPtr& item) { return item->kind != MessageKind::Task; });
        tasks.insert(tasks.end(), std::make_move_iterator(rest), std::make_move_iterator(queue.end()));
        queue.erase(rest, queue.end());  // a stop remains: the child may be alive
    };
    take(child.queue);
    // Either a place is free, and then its token is here, or it has a task.
    if (!desk_.divides) lost_places_ += static_cast<std::uint32_t>(tasks.size()) + desk_.distribution->tokens(child.index);
    take(child.pending);
    desk_.distribution->forget(child.index);
    for (const ItemPtr& task : tasks) task->answers = false;
    return tasks;
}

void Recovery::tell(const Child& child, const Item& task) {
    const vocabulary::SimTime now = desk_.kernel.port().now();
    for_each_part(task.id, task.body, desk_.config.granularity, [&](const TaskIdentity& id, const auto&) {
        const TaskReissued what{desk_.kernel.node(), child.at.node, id.task, id.subtask};
        for (Witness* witness : desk_.probes.witnesses()) witness->on_reissued(what, now);
    });
}

// The task was between this node and the child, so it was not among those taken back. Its place is gone with the others.
Task<> Recovery::come_back(ItemPtr task) {
    task->kind = MessageKind::Task;
    task->answers = false;
    if (!desk_.divides) ++lost_places_;
    issue(std::move(task));
    co_await desk_.wake(desk_.tasks.reader);
}

// In divide and conquer a sub-task has digits for the level below. A node there may split it further; this node may only
// compute it.
void Recovery::issue(ItemPtr task) {
    if (!desk_.divides || desk_.is_manager) {
        const auto rank = [](const Item& of) { return Rank{of.priority, of.id.task, of.id.subtask}; };
        auto at = desk_.tasks.items.begin();
        while (at != desk_.tasks.items.end() && desk_.distribution->overtakes(rank(**at), rank(*task))) ++at;
        desk_.tasks.items.insert(at, std::move(task));
        return;
    }
    Child* least = nullptr;
    const auto load = [this](const Child& child) { return child.pending.size() + lines_[child.index].kept.size(); };
    for (Child& child : desk_.children) {
        if (!child.given_up && (least == nullptr || load(child) < load(*least))) least = &child;
    }
    (least != nullptr ? least->pending : own_).push_front(std::move(task));
}

bool Recovery::alone() const {
    return desk_.is_manager && !has_living_child();
}

bool Recovery::waits() const {
    return !own_.empty() || (alone() && !desk_.tasks.items.empty());
}

Task<bool> Recovery::place(Calls& calls) {
    if (desk_.compute.taken || !waits()) co_return false;
    desk_.compute.taken = true;
    calls.charge(desk_.costs.decision);
    Fifo<ItemPtr>& from = own_.empty() ? desk_.tasks.items : own_;
    ItemPtr task = std::move(from.front());
    from.pop_front();
    if (desk_.is_manager) {
        desk_.ledger.handed_out(*task);
        co_await desk_.wake(desk_.generator);
    }
    co_await calls.settle();
    desk_.compute.task = std::move(task);
    co_await desk_.wake(desk_.compute.worker);
    co_return true;
}

}  // namespace trek_kernel
