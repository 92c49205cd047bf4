// Stealing: work stealing between siblings (Policy::WorkStealing). A node that has computed its last task asks its parent,
// normally with the result of that task. So an idle node sends nothing more than in a farm that does not steal. The request
// goes by itself (Steal) when a planted bug keeps the result. The parent gives it a task that waits here for one of its
// siblings. Else it asks the sibling with the most waiting tasks to give one back up (GiveUp). That sibling sends the task that
// came last (Returned), or that it has none (Nothing). Every Steal is answered once: by a task that is marked as the answer, or
// by Nothing. Every GiveUp is answered once, too. A node asks once each time it becomes idle, so an idle farm is silent.
//
// Tokens: the place from which a task is taken is free again. It stays with this node, and the task takes a place of the thief.
// So the number of places that the nodes above know of stays right.
//
// A farm of another policy has no object of this class. The calls are cold for the same reason as those of recovery.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "node_desk.hpp"

namespace trek_kernel {

class Stealing {
public:
    explicit Stealing(NodeDesk& desk);

    // Towards the parent. The node has asked, or is about to ask, for a task of its siblings:
    bool has_asked() const { return asked_; }
    [[gnu::cold]] bool would_steal() const;     // it has nothing to compute and has not asked
    [[gnu::cold]] void steal_without_result();  // as soon as the link writer can, if it would steal
    bool is_to_ask() const { return ask_now_; }
    [[gnu::cold]] bool asks_now();  // false: a task has come since steal_without_result()
    // The request goes with this result, unless a task has come since it was made.
    [[gnu::cold]] bool asks_with(const Item& result);
    void is_answered() { asked_ = false; }
    [[gnu::cold]] void give_up(Api& api);  // the parent wants a task back

    // From the children.
    [[gnu::cold]] const char* what_is_wrong(const SizeMessage& size, const Child* from) const;  // with a message of stealing
    bool is_asked_by(const Child& child) const { return lines_[child.index].asks; }
    [[gnu::cold]] void task_asked_for(Api& api, Child& thief);
    [[gnu::cold]] void task_returned(Api& api, Child& victim, std::uint32_t tokens, ItemPtr task);
    [[gnu::cold]] void nothing_came(Child* from);  // from the parent: nullptr
    [[gnu::cold]] void child_lost(Child& child);

private:
    struct Line {                    // to one child
        bool asks = false;           // for a task of a sibling, and waits for the answer
        Child* asked_for = nullptr;  // it has been asked to give a task up for this one, and has not answered
    };

    std::uint32_t worked_on_at_once(const Child& child) const;
    void answer_nothing(Child& thief);
    void hand_to(Child& thief, ItemPtr task);

    NodeDesk& desk_;
    bool has_siblings_ = false, asked_ = false, ask_now_ = false;
    std::vector<Line> lines_;  // index: child
};

}  // namespace trek_kernel
