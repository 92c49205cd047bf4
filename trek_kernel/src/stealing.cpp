// Work stealing between siblings. A node that has computed its last task asks its parent, normally with the result of that
// task. So an idle node sends nothing more than in a farm that does not steal. The request goes by itself (Steal) when a
// planted bug keeps the result. The parent gives it a task that waits here for one of its siblings. Else it asks the sibling
// with the most waiting tasks to give one back up (GiveUp). That sibling sends the task that came last (Returned), or that it
// has none (Nothing). Every Steal is answered once: by a task that is marked as the answer, or by Nothing. Every GiveUp is
// answered once, too. A node asks once each time it becomes idle, so an idle farm is silent.
//
// Tokens: the place from which a task is taken is free again. It stays with this node, and the task takes a place of the thief.
// So the number of places that the nodes above know of stays right.
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

// Called by the computation when it has nothing more.
bool TrekNode::would_steal() const {
    return has_siblings_ && !stealing_ && !stopping_ && !compute_slot_ && buffer_.empty();
}

void TrekNode::steal_without_result() {
    if (!would_steal()) return;
    stealing_ = steal_now_ = true;
    wake(up_thread_);
}

// Called by the output to the parent; a task may have come since the result was made.
bool TrekNode::steals_with(const Item& item) {
    if (!item.steals || computing_ || !would_steal()) return false;
    stealing_ = true;
    return true;
}

void TrekNode::signal(Child& child, Kind kind) {
    child.queue.push_back(std::make_unique<Item>(Item{kind, {}, {}}));
}

void TrekNode::answer_nothing(Child& thief) {
    thief.steals = false;
    signal(thief, Kind::Nothing);
    wake(thief.thread);
}

// Divide and conquer passes a sub-task on only to a node where it is divided again.
std::uint32_t TrekNode::worked_on_at_once(const Child& child) const {
    if (!divides()) return child.at.workers;
    const bool divides_too = child.at.workers > 1 && splits_at(is_manager() ? 0 : setup_.place.level + 1);
    return divides_too ? 2 : 1;
}

void TrekNode::steal_arrived(Api& api, Child& thief) {
    if (stopping_) return;
    thief.steals = true;
    api.charge(setup_.costs.decision);
    api.port().settle();
    // Without a token, a task is already on its way to the thief.
    if (distribution_->tokens(thief.index) == 0 || !thief.pending.empty()) return answer_nothing(thief);
    Child* longest = nullptr;
    for (const auto& child : children_) {
        if (!child->pending.empty() && (longest == nullptr || child->pending.size() > longest->pending.size()))
            longest = child.get();
    }
    if (longest != nullptr) {
        ItemPtr task = std::move(longest->pending.back());
        longest->pending.pop_back();
        return hand_to_thief(thief, std::move(task));
    }
    std::vector<ChildLoad> loads;
    for (const auto& child : children_)
        loads.push_back({child->handed_over, worked_on_at_once(*child), child->asked_for != nullptr});
    const auto victim = distribution_->victim(thief.index, loads);
    if (!victim) return answer_nothing(thief);
    children_[*victim]->asked_for = &thief;
    signal(*children_[*victim], Kind::GiveUp);
    wake(children_[*victim]->thread);
}

void TrekNode::hand_to_thief(Child& thief, ItemPtr task) {
    thief.steals = false;
    task->answers = true;
    thief.pending.push_back(std::move(task));
    wake(data_thread_);
}

// Called by the input process of the node that is asked.
void TrekNode::give_up(Api& api) {
    if (stopping_) return;
    api.charge(setup_.costs.decision);
    api.port().settle();
    auto answer = std::make_unique<Item>(Item{Kind::Nothing, {}, {}});
    if (!buffer_.empty()) {
        answer = std::move(buffer_.back());
        buffer_.pop_back();
        answer->kind = Kind::Returned;
    }
    pass_result(api, std::move(answer));
}

void TrekNode::task_returned(Api& api, Child& victim, std::uint32_t tokens, ItemPtr item) {
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    if (victim.given_up) return recovery_->come_back(std::move(item));
    if (victim.handed_over > 0) --victim.handed_over;
    if (tokens > 0) take_tokens(victim, tokens);
    distribution_->add(victim.index, 1);
    Child& thief = *std::exchange(victim.asked_for, nullptr);
    item->kind = Kind::Task;
    if (distribution_->tokens(thief.index) > 0 && thief.pending.empty()) return hand_to_thief(thief, std::move(item));
    // The thief has got another one meanwhile. A sub-task belongs to the children, so it goes back to the child where its place
    // is free.
    victim.pending.push_back(std::move(item));
    wake(data_thread_);
    answer_nothing(thief);
}

void TrekNode::nothing_returned(Child& victim) {
    if (victim.asked_for == nullptr) return;  // and its thief has been answered
    answer_nothing(*std::exchange(victim.asked_for, nullptr));
}

}  // namespace trek_kernel
