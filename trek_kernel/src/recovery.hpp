// Recovery: the additional work of a node in a surviving farm (Lin 1993, section 7.2.1: a fault-tolerant virtual machine;
// docs/model/survival.md). A parent keeps a copy of each task that it has handed to a child and that is not back. A child with
// nothing else to send to its parent sends a heartbeat every trek.heartbeat. A parent gives up a child that sends nothing, or
// takes nothing, for trek.silence. The child gets nothing more, and its later messages are ignored. Its tasks are reissued to
// its siblings, or computed here. So each level repairs the level below it, and no node needs to know the whole tree. If the
// suspicion is wrong, results are still right; only the work of the subtree is wasted.
//
// A farm that does not survive has no object of this class, and none of its messages, processes or memory. In a surviving farm
// the manager has a computation, for the case that no child is left.
//
// Its calls are marked cold: most farms have no recovery, and their hot code stays compact.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "node_desk.hpp"

namespace trek_kernel {

class Recovery {
public:
    explicit Recovery(NodeDesk& desk);

    [[gnu::cold]] Task<> run_watchdog(Calls& calls);  // on nodes with children
    [[gnu::cold]] bool has_living_child() const;

    // For the link processes.
    [[gnu::cold]] void watch(const Child& child);  // starts the timeout of the child
    [[gnu::cold]] void keep(Calls& calls, const Child& child, const Item& task);
    [[gnu::cold]] void has_sent(const Branch& to);                   // a message has arrived at `to`
    [[gnu::cold]] void listens(const Child& child);                  // the child's silence counts from now
    [[gnu::cold]] bool hears(const Child& child, const Item& what);  // false: the child was given up, so its message is ignored
    // For the link writer to the parent; the first two when there is nothing to send.
    [[gnu::cold]] bool has_to_speak() const;
    [[gnu::cold]] Task<> wait(Calls& calls) const;  // waits, at most until the next heartbeat is due
    [[gnu::cold]] void pay_for_lost_places();

    // For the data manager and the splitter.
    [[gnu::cold]] Task<bool> place(Calls& calls);  // moves a task that only this node can compute to the computation
    [[gnu::cold]] bool waits() const;              // such a task waits
    [[gnu::cold]] void issue(ItemPtr task);        // the task was for a child that has been given up
    [[gnu::cold]] Task<> come_back(ItemPtr task);  // the caller held the task when the child was given up

private:
    struct Kept {
        Item task;
        std::uint64_t bytes = 0;  // bytes of the node's RAM
    };
    struct Lifeline {  // state of the link to one child
        std::multimap<std::pair<std::uint32_t, std::uint32_t>, Kept> kept;
        // By this node's clock: start of the child's silence, and start of the pending send to it.
        std::optional<std::uint64_t> listens_us, sends_us;
        bool watched = false;
    };

    std::uint64_t clock_us() const;
    std::uint64_t deadline_us(const Child& child) const;
    Task<> give_up(Calls& calls, Child& child);
    std::vector<ItemPtr> take_back(Child& child);
    void tell(const Child& child, const Item& task);
    bool forget_parts(Item& kept, const Item& back) const;
    bool alone() const;  // true for a manager without a live child

    NodeDesk& desk_;
    std::uint64_t heartbeat_us_, silence_us_;
    std::vector<Lifeline> lines_;    // index: child
    Fifo<ItemPtr> own_;              // sub-tasks without a child left; they keep their number and are not split here
    std::uint64_t spoke_us_ = 0;     // time of this node's last message to its parent
    std::uint32_t lost_places_ = 0;  // tokens at the parent for lost places
};

}  // namespace trek_kernel
