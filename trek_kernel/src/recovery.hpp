// Recovery: the additional work of a node in a surviving farm (Lin 1993, section 7.2.1: a fault-tolerant virtual machine;
// docs/model/survival.md). A parent keeps a copy of each task that it has handed to a child and that is not back. A child that
// has nothing else to say to its parent gives a sign of life every trek.heartbeat. A parent gives a child up that says nothing
// for trek.silence, or takes nothing sent to it for that long. The child gets nothing more, and its later messages do not
// count. Its tasks are issued again to its siblings, or computed here. So each level repairs the level below it, and no node
// needs to know the whole tree. The suspicion may be wrong: results are right all the same, and only the subtree is wasted.
//
// A farm that does not survive has no object of this class, and none of its messages, processes or memory. In one that does,
// the manager has a computation, for when it has no child left.
//
// Its calls are marked cold: most farms have no recovery, and their own code then lies closer together.
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

    [[gnu::cold]] void run_watchdog(Api& api);  // where there are children
    [[gnu::cold]] bool has_living_child() const;

    // Called by the processes around the links.
    [[gnu::cold]] void watch(const Child& child);  // from now on the child has to speak
    [[gnu::cold]] void keep(Api& api, const Child& child, const Item& task);
    [[gnu::cold]] void has_sent(const Branch& to);                   // and it has arrived
    [[gnu::cold]] void listens(const Child& child);                  // silence counts from here
    [[gnu::cold]] bool hears(const Child& child, const Item& what);  // false: it was given up, and its message does not count
    // Called by the link writer to the parent; the first two when there is nothing to send.
    [[gnu::cold]] bool has_to_speak() const;
    [[gnu::cold]] void wait(Api& api) const;  // until it has to speak, at the latest
    [[gnu::cold]] void pay_for_lost_places();

    // Called by the data manager and the splitter.
    [[gnu::cold]] bool place(Api& api);          // moves a task that only this node can compute to its computation
    [[gnu::cold]] bool waits() const;            // there is such a task
    [[gnu::cold]] void issue(ItemPtr task);      // the task was meant for a child that was given up
    [[gnu::cold]] void come_back(ItemPtr task);  // the caller held the task when its child was given up

private:
    struct Kept {
        Item task;
        std::uint64_t bytes = 0;  // of the node's RAM
    };
    struct Lifeline {  // to one child
        std::multimap<std::pair<std::uint32_t, std::uint32_t>, Kept> kept;
        // By this node's clock: the time since when it listens to the child in vain, and since when it is sending to it.
        std::optional<std::uint64_t> listens_us, sends_us;
        bool watched = false;
    };

    std::uint64_t clock_us() const;
    std::uint64_t deadline_us(const Child& child) const;
    void give_up(Api& api, Child& child);
    std::vector<ItemPtr> take_back(Child& child);
    void tell(const Child& child, const Item& task);
    bool forget_parts(Item& kept, const Item& back) const;
    bool alone() const;  // a manager without a child

    NodeDesk& desk_;
    std::uint64_t heartbeat_us_, silence_us_;
    std::vector<Lifeline> lines_;    // index: child
    Fifo<ItemPtr> own_;              // sub-tasks that no child is left for; they keep their number and are not split here
    std::uint64_t spoke_us_ = 0;     // when this node last said something to its parent
    std::uint32_t lost_places_ = 0;  // tokens that the parent has for places that are gone
};

}  // namespace trek_kernel
