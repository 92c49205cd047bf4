// Stealing: work stealing between siblings (Policy::WorkStealing). A node that has computed its last task asks its parent,
// normally with the result of that task. So an idle node sends no extra message. The request goes alone (Steal) when a planted
// bug withholds the result. The parent gives the node a task that waits for one of its siblings. If none waits, it asks the
// sibling with the most waiting tasks to give one back (GiveUp). That sibling returns its newest task (Returned), or reports
// that it has none (Nothing). Every Steal is answered once: by a task that is marked as the answer, or by Nothing. Every GiveUp
// is answered once, too. A node asks once each time it becomes idle, so an idle farm is silent.
//
// Tokens: the place of the stolen task is free again and stays with this node; the task takes a place of the thief. So the
// nodes above still know the right number of places.
//
// A farm with another policy has no object of this class. The calls are cold for the same reason as in recovery.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "node_desk.hpp"

namespace trek_kernel {

class Stealing {
public:
    explicit Stealing(NodeDesk& desk);

    // Towards the parent: the node has asked, or is about to ask, for a task of its siblings.
    bool has_asked() const { return asked_; }
    [[gnu::cold]] bool would_steal() const;       // it has nothing to compute and has not asked
    [[gnu::cold]] Task<> steal_without_result();  // asks as soon as the link writer can, if would_steal()
    bool is_to_ask() const { return ask_now_; }
    [[gnu::cold]] bool asks_now();  // false: a task has come since steal_without_result()
    // Sends the request with this result, unless a task has come since the result was made.
    [[gnu::cold]] bool asks_with(const Item& result);
    void is_answered() { asked_ = false; }
    [[gnu::cold]] Task<> give_up(Calls& calls);  // the parent wants a task back

    // From the children.
    // Damage of a stealing message; nullptr: none.
    [[gnu::cold]] const char* what_is_wrong(const SizeMessage& size, const Child* from) const;
    bool is_asked_by(const Child& child) const { return lines_[child.index].asks; }
    [[gnu::cold]] Task<> task_asked_for(Calls& calls, Child& thief);
    [[gnu::cold]] Task<> task_returned(Calls& calls, Child& victim, std::uint32_t tokens, ItemPtr task);
    [[gnu::cold]] Task<> nothing_came(Child* from);  // `from`: nullptr for the parent
    [[gnu::cold]] Task<> child_lost(Child& child);

private:
    struct Line {                    // state of one child
        bool asks = false;           // it wants a sibling's task and waits for the answer
        Child* asked_for = nullptr;  // it was asked to give up a task for this child and has not answered
    };

    std::uint32_t worked_on_at_once(const Child& child) const;
    Task<> answer_nothing(Child& thief);
    Task<> hand_to(Child& thief, ItemPtr task);

    NodeDesk& desk_;
    bool has_siblings_ = false, asked_ = false, ask_now_ = false;
    std::vector<Line> lines_;  // index: child
};

}  // namespace trek_kernel
