#include "recovery.hpp"

#include <algorithm>
#include <iterator>

#include "bundle.hpp"

namespace trek_kernel {

using trollius_os::Priority;

TrekNode::Recovery::Recovery(TrekNode& node)
    : node_(node),
      heartbeat_us_(static_cast<std::uint64_t>(node.setup_.costs.heartbeat.in_us())),
      silence_us_(static_cast<std::uint64_t>(node.setup_.costs.silence.in_us())),
      lines_(node.children_.size()) {}

void TrekNode::Recovery::start() {
    if (!node_.children_.empty()) node_.spawn("trek.watch", Priority::High, [this](Api& api) { watchdog(api); });
    if (node_.is_manager()) node_.spawn("trek.compute", Priority::Low, [this](Api& api) { node_.computation(api); });
}

std::uint64_t TrekNode::Recovery::clock_us() const {
    return node_.kernel_.port().clock_us(Priority::High);
}

bool TrekNode::Recovery::has_living_child() const {
    return std::any_of(node_.children_.begin(), node_.children_.end(), [](const auto& child) { return !child->given_up; });
}

void TrekNode::Recovery::watch(const Child& child) {
    lines_[child.index].watched = true;
    listens(child);
}

// The copy is made before the task leaves: while it is on its way it is nowhere else.
void TrekNode::Recovery::keep(Api& api, const Child& child, const Item& task) {
    lines_[child.index].sends_us = clock_us();
    if (task.kind != Kind::Task) return;
    api.charge(node_.setup_.costs.queue_operation);
    Kept kept{task, task.body.size() + node_.setup_.costs.size_message};
    if (!node_.kernel_.port().take_memory(kept.bytes)) {
        node_.kernel_.drop("trek.keep", "no memory for a copy of a task that was handed on", task.id.task, task.id.subtask);
        return;
    }
    lines_[child.index].kept.emplace(std::pair(task.id.task, task.id.subtask), std::move(kept));
}

void TrekNode::Recovery::has_sent(const Branch& to) {
    if (node_.setup_.place.parent && to.node == node_.setup_.place.parent->node) {
        spoke_us_ = clock_us();
        return;
    }
    for (const auto& child : node_.children_) {
        if (child->at.node == to.node) lines_[child->index].sends_us.reset();
    }
}

// While its input process has something to do, a node cannot hear its child: for example, while the monitor has suspended it.
void TrekNode::Recovery::listens(const Child& child) {
    lines_[child.index].listens_us = clock_us();
}

bool TrekNode::Recovery::hears(const Child& child, const Item& what) {
    if (child.given_up) return false;
    Lifeline& line = lines_[child.index];
    line.listens_us.reset();
    const bool back = what.kind == Kind::Result || what.kind == Kind::Returned;
    // From here on the task counts as back, whatever becomes of the child. A number that was not handed out comes from a
    // planted bug or a damaged message. It goes the way it would go in any farm.
    const auto found = back ? line.kept.find({what.id.task, what.id.subtask}) : line.kept.end();
    if (found == line.kept.end() || !node_.fits(what)) return true;
    if (!forget_parts(found->second.task, what)) return true;
    node_.kernel_.port().give_back_memory(found->second.bytes);
    line.kept.erase(found);
    return true;
}

// A bundle may come back in several messages. False: a part of it is not back.
bool TrekNode::Recovery::forget_parts(Item& kept, const Item& back) const {
    const std::uint32_t granularity = node_.setup_.config.granularity;
    if (granularity == 1) return true;
    boost::container::flat_set<std::uint32_t> numbers;
    for_each_part(back.id, back.body, granularity, [&](const TaskIdentity& id, const auto&) { numbers.insert(id.task); });
    Bundler rest(granularity);
    for_each_part(kept.id, kept.body, granularity, [&](const TaskIdentity& id, std::span<const std::byte> body) {
        if (numbers.count(id.task) > 0) return;
        rest.add(std::make_unique<Item>(Item{Kind::Task, id, {body.begin(), body.end()}}));
    });
    kept.body.clear();
    rest.close([&](const ItemPtr& bundle) { kept.body = std::move(bundle->body); });
    return kept.body.empty();
}

// No signs of life before the parent is there, and none after the last message of the farm.
void TrekNode::Recovery::wait(Api& api) {
    if (!node_.started_ || node_.counts_sent_) return api.port().wait();
    const std::uint64_t next = spoke_us_ + heartbeat_us_;
    if (clock_us() < next) return api.port().wait_until_clock(next);
    node_.send_signal(api, *node_.setup_.place.parent, Kind::Alive, 0);
}

// A processor farm has passed on the tokens of the places below. When those places are lost, the same number of the next tokens
// are not sent. Else the parent would for ever send more tasks than there are places.
void TrekNode::Recovery::pay_for_lost_places() {
    const std::uint32_t paid = std::min(lost_places_, node_.tokens_up_);
    lost_places_ -= paid;
    node_.tokens_up_ -= paid;
}

std::uint64_t TrekNode::Recovery::deadline_us(const Child& child) const {
    const Lifeline& line = lines_[child.index];
    const std::uint64_t now = clock_us();
    if (child.given_up || child.counted || !line.watched) return now + silence_us_;
    return std::min(line.listens_us.value_or(now), line.sends_us.value_or(now)) + silence_us_;
}

void TrekNode::Recovery::watchdog(Api& api) {
    while (node_.counts_missing_ > 0) {
        api.charge(node_.setup_.costs.decision);
        api.port().settle();
        std::uint64_t next = clock_us() + silence_us_;
        for (auto& child : node_.children_) {
            if (deadline_us(*child) <= clock_us()) give_up(api, *child);
            next = std::min(next, deadline_us(*child));
        }
        api.port().wait_until_clock(next);
    }
}

void TrekNode::Recovery::give_up(Api& api, Child& child) {
    const std::size_t tasks = lines_[child.index].kept.size() + child.queue.size() + child.pending.size();
    api.charge(node_.setup_.costs.decision + node_.setup_.costs.queue_operation * static_cast<std::int64_t>(tasks));
    api.port().settle();
    if (deadline_us(child) > clock_us()) return;  // it has spoken meanwhile
    child.given_up = true;
    child.handed_over = 0;
    if (Child* thief = std::exchange(child.asked_for, nullptr)) node_.answer_nothing(*thief);
    const vocabulary::SimTime now = api.port().now();
    for (Witness* witness : node_.setup_.witnesses) witness->on_given_up(NodeGivenUp{node_.kernel_.node(), child.at.node}, now);
    std::vector<ItemPtr> lost = take_back(child);
    // From the last on: each goes before those that wait already, since it has waited longest.
    if (!node_.stopping_) std::for_each(lost.rbegin(), lost.rend(), [this](ItemPtr& task) { issue(std::move(task)); });
    if (!child.counted) --node_.counts_missing_;
    node_.wake(node_.stopping_thread_);
    node_.wake(node_.data_thread_);
    node_.report_finished(api);
}

// The tasks the child has or is to get. Only a task that has left this node is issued again; the rest go elsewhere for the
// first time.
std::vector<TrekNode::ItemPtr> TrekNode::Recovery::take_back(Child& child) {
    std::vector<ItemPtr> tasks;
    for (auto& [id, kept] : lines_[child.index].kept) {
        node_.kernel_.port().give_back_memory(kept.bytes);
        tasks.push_back(std::make_unique<Item>(std::move(kept.task)));
        tasks.back()->again = true;
        if (!node_.stopping_) tell(child, *tasks.back());
    }
    lines_[child.index].kept.clear();
    const auto take = [&](Fifo<ItemPtr>& queue) {
        const auto rest =
            std::stable_partition(queue.begin(), queue.end(), [](const ItemPtr& item) { return item->kind != Kind::Task; });
        tasks.insert(tasks.end(), std::make_move_iterator(rest), std::make_move_iterator(queue.end()));
        queue.erase(rest, queue.end());  // a stop remains: the child may be alive
    };
    take(child.queue);
    // Either a place is free, and then its token is here, or it has a task.
    if (!node_.divides()) lost_places_ += static_cast<std::uint32_t>(tasks.size()) + node_.distribution_->tokens(child.index);
    take(child.pending);
    node_.distribution_->forget(child.index);
    for (const ItemPtr& task : tasks) task->answers = false;
    return tasks;
}

void TrekNode::Recovery::tell(const Child& child, const Item& task) {
    const vocabulary::SimTime now = node_.kernel_.port().now();
    for_each_part(task.id, task.body, node_.setup_.config.granularity, [&](const TaskIdentity& id, const auto&) {
        const TaskReissued what{node_.kernel_.node(), child.at.node, id.task, id.subtask};
        for (Witness* witness : node_.setup_.witnesses) witness->on_reissued(what, now);
    });
}

// The task was between this node and the child, so it was not among those taken back. Its place is gone with the others.
void TrekNode::Recovery::come_back(ItemPtr task) {
    task->kind = Kind::Task;
    task->answers = false;
    if (!node_.divides()) ++lost_places_;
    issue(std::move(task));
    node_.wake(node_.data_thread_);
}

// In divide and conquer a sub-task has digits for the level below. A node there may split it further; this node may only
// compute it.
void TrekNode::Recovery::issue(ItemPtr task) {
    if (!node_.divides() || node_.is_manager()) {
        const auto rank = [](const Item& of) { return Rank{of.priority, of.id.task, of.id.subtask}; };
        auto at = node_.buffer_.begin();
        while (at != node_.buffer_.end() && node_.distribution_->overtakes(rank(**at), rank(*task))) ++at;
        node_.buffer_.insert(at, std::move(task));
        return;
    }
    Child* least = nullptr;
    const auto load = [this](const Child& child) { return child.pending.size() + lines_[child.index].kept.size(); };
    for (const auto& child : node_.children_) {
        if (!child->given_up && (least == nullptr || load(*child) < load(*least))) least = child.get();
    }
    (least != nullptr ? least->pending : own_).push_front(std::move(task));
}

bool TrekNode::Recovery::alone() const {
    return node_.is_manager() && !has_living_child();
}

bool TrekNode::Recovery::waits() const {
    return !own_.empty() || (alone() && !node_.buffer_.empty());
}

bool TrekNode::Recovery::place(Api& api) {
    if (node_.computing_ || !waits()) return false;
    node_.computing_ = true;
    api.charge(node_.setup_.costs.decision);
    Fifo<ItemPtr>& from = own_.empty() ? node_.buffer_ : own_;
    ItemPtr task = std::move(from.front());
    from.pop_front();
    if (node_.is_manager()) {
        for_each_part(task->id, task->body, node_.setup_.config.granularity,
                      [this](const TaskIdentity& id, const auto&) { node_.outstanding_.insert(id.task); });
        node_.wake(node_.generator_thread_);
    }
    api.port().settle();
    node_.compute_slot_ = std::move(task);
    node_.wake(node_.compute_thread_);
    return true;
}

}  // namespace trek_kernel
