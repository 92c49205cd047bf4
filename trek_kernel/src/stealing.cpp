#include "stealing.hpp"

#include <utility>

#include "ending.hpp"
#include "recovery.hpp"

namespace trek_kernel {

Stealing::Stealing(NodeDesk& desk) : desk_(desk), lines_(desk.children.size()) {
    if (!desk.is_manager) has_siblings_ = desk.config.children(desk.place.parent->node).size() > 1;
}

bool Stealing::would_steal() const {
    return has_siblings_ && !asked_ && !desk_.ending->stopping() && !desk_.compute.task && desk_.tasks.items.empty();
}

Task<> Stealing::steal_without_result() {
    if (!would_steal()) co_return;
    asked_ = ask_now_ = true;
    co_await desk_.wake(desk_.up.reader);
}

bool Stealing::asks_now() {
    ask_now_ = false;
    asked_ = !desk_.compute.taken && desk_.tasks.items.empty() && !desk_.ending->stopping();
    return asked_;
}

bool Stealing::asks_with(const Item& result) {
    if (!result.steals || desk_.compute.taken || !would_steal()) return false;
    asked_ = true;
    return true;
}

Task<> Stealing::give_up(Calls& calls) {
    if (desk_.ending->stopping()) co_return;
    calls.charge(desk_.costs.decision);
    co_await calls.settle();
    ItemPtr answer = signal_item(MessageKind::Nothing);
    if (!desk_.tasks.items.empty()) {
        answer = std::move(desk_.tasks.items.back());
        desk_.tasks.items.pop_back();
        answer->kind = MessageKind::Returned;
    }
    co_await desk_.pass_result(calls, std::move(answer));
}

const char* Stealing::what_is_wrong(const SizeMessage& size, const Child* from) const {
    const bool from_parent = from == nullptr, asked = from_parent ? asked_ : lines_[from->index].asked_for != nullptr;
    switch (size.kind) {
        case MessageKind::Steal:
            return !from_parent && !is_asked_by(*from) ? nullptr
                                                       : "a request for a task from above, or while one is unanswered";
        case MessageKind::GiveUp:
            return from_parent && desk_.started ? nullptr : "a request from below to give up a task";
        case MessageKind::Nothing:
            return asked ? nullptr : "an answer without a request";
        default:
            return !from_parent && asked && !desk_.too_many_tokens(*from, size.tokens())
                       ? nullptr
                       : "a task returned without a request, or with tokens for more places than there are";
    }
}

Task<> Stealing::answer_nothing(Child& thief) {
    lines_[thief.index].asks = false;
    thief.queue.push_back(signal_item(MessageKind::Nothing));
    co_await desk_.wake(thief.writer);
}

// Divide and conquer passes a sub-task on only to a node where it is divided again.
std::uint32_t Stealing::worked_on_at_once(const Child& child) const {
    if (!desk_.divides) return child.at.workers;
    const bool divides_too = child.at.workers > 1 && desk_.splits_at(desk_.is_manager ? 0 : desk_.place.level + 1);
    return divides_too ? 2 : 1;
}

Task<> Stealing::task_asked_for(Calls& calls, Child& thief) {
    if (desk_.ending->stopping()) co_return;
    lines_[thief.index].asks = true;
    calls.charge(desk_.costs.decision);
    co_await calls.settle();
    // Without a token, a task is already on its way to the thief.
    if (desk_.distribution->tokens(thief.index) == 0 || !thief.pending.empty()) co_return co_await answer_nothing(thief);
    Child* longest = nullptr;
    for (Child& child : desk_.children) {
        if (!child.pending.empty() && (longest == nullptr || child.pending.size() > longest->pending.size())) longest = &child;
    }
    if (longest != nullptr) {
        ItemPtr task = std::move(longest->pending.back());
        longest->pending.pop_back();
        co_return co_await hand_to(thief, std::move(task));
    }
    std::vector<ChildLoad> loads;
    for (const Child& child : desk_.children)
        loads.push_back({child.handed_over, worked_on_at_once(child), lines_[child.index].asked_for != nullptr});
    const auto victim = desk_.distribution->victim(thief.index, loads);
    if (!victim) co_return co_await answer_nothing(thief);
    lines_[*victim].asked_for = &thief;
    desk_.children[*victim].queue.push_back(signal_item(MessageKind::GiveUp));
    co_await desk_.wake(desk_.children[*victim].writer);
}

Task<> Stealing::hand_to(Child& thief, ItemPtr task) {
    lines_[thief.index].asks = false;
    task->answers = true;
    thief.pending.push_back(std::move(task));
    co_await desk_.wake(desk_.tasks.reader);
}

Task<> Stealing::task_returned(Calls& calls, Child& victim, std::uint32_t tokens, ItemPtr task) {
    calls.charge(desk_.costs.queue_operation);
    co_await calls.settle();
    if (victim.given_up) co_return co_await desk_.recovery->come_back(std::move(task));
    if (victim.handed_over > 0) --victim.handed_over;
    if (tokens > 0) co_await desk_.wake(desk_.take_tokens(victim, tokens));
    desk_.distribution->add(victim.index, 1);
    Child& thief = *std::exchange(lines_[victim.index].asked_for, nullptr);
    task->kind = MessageKind::Task;
    if (desk_.distribution->tokens(thief.index) > 0 && thief.pending.empty())
        co_return co_await hand_to(thief, std::move(task));
    // The thief has got another one meanwhile. A sub-task belongs to the children, so it goes back to the child where its place
    // is free.
    victim.pending.push_back(std::move(task));
    co_await desk_.wake(desk_.tasks.reader);
    co_await answer_nothing(thief);
}

Task<> Stealing::nothing_came(Child* from) {
    if (from == nullptr) {
        is_answered();
        return {};
    }
    return child_lost(*from);
}

Task<> Stealing::child_lost(Child& child) {
    if (Child* thief = std::exchange(lines_[child.index].asked_for, nullptr)) return answer_nothing(*thief);
    return {};
}

}  // namespace trek_kernel
