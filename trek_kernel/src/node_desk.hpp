// NodeDesk: the table at which the processes of one node work (thesis, section 5.3.1). In its trays they leave tasks and
// results for each other. It has the places where tasks are worked on, and the children with their tokens. It wakes processes.
//
// Each process is a class of its own, beside this file. It knows the desk and no other process.
//
// Three parts that are no processes are reached through the desk. The end of the farm is always there. Recovery is there only
// in a farm that survives, and stealing only in one that steals.
//
// Only the calls that get an Api charge modelled time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <trek_kernel/distribution.hpp>
#include <trek_kernel/farm.hpp>
#include <trollius_os/api.hpp>

#include "item.hpp"
#include "join_table.hpp"
#include "outputs.hpp"
#include "probes.hpp"
#include "result_room.hpp"
#include "task_ledger.hpp"
#include "tokens_up.hpp"

namespace trek_kernel {

using trollius_os::Api;
using trollius_os::Thread;

class Ending;
class Recovery;
class Stealing;

// A queue and the process that takes from it, which waits while it is empty. nullptr: it does not run yet.
struct Tray {
    Fifo<ItemPtr> items;
    Thread* reader = nullptr;
};

// The place of one task at a user's process. It is taken from the decision that the task goes there until the task is done.
struct WorkPlace {
    ItemPtr task;
    bool taken = false;
    Thread* worker = nullptr;
};

struct Child {
    Branch at;
    std::size_t index = 0;          // among the children
    std::uint32_t handed_over = 0;  // tasks that were given to it and are not back
    Thread* writer = nullptr;       // the process that sends to it
    Fifo<ItemPtr> queue;            // messages that the process sends next
    Fifo<ItemPtr> pending;          // sub-tasks that wait for its token
    bool counted = false;           // its numbers of computed tasks have come
    bool given_up = false;          // held for dead (recovery.hpp)
};

class NodeDesk {
public:
    // `farm` and `spares` outlive it.
    NodeDesk(trollius_os::Kernel& kernel, const FarmSetup& farm, Spares& spares);
    NodeDesk(const NodeDesk&) = delete;
    NodeDesk& operator=(const NodeDesk&) = delete;

    trollius_os::Kernel& kernel;
    const FarmSetup& farm;
    const FarmSpec& config;
    const TrekCosts& costs;
    const TreePlace& place;
    Spares& spares;
    Ending* ending = nullptr;
    Recovery* recovery = nullptr;
    Stealing* stealing = nullptr;

    const bool is_manager, divides;
    bool started = false;        // the parent is there: a message to a node that is not loaded yet would plug the link
    std::uint32_t computed = 0;  // tasks, by this node
    WorkPlace compute;
    TokensUp tokens_up;
    Tray tasks;      // for the data manager: tasks that wait for a place
    Tray results;    // for the result manager
    Tray up;         // for the link writer to the parent
    Tray collected;  // manager: for get_result()
    std::vector<Child> children;
    std::unique_ptr<Distribution> distribution;  // the children's tokens, and the child whose turn it is
    ResultRoom room;
    Probes probes;
    WorkPlace split;
    JoinTable joins;
    Thread* joiner = nullptr;
    Thread* generator = nullptr;  // manager: data_generator(), which waits for a free buffer
    Outputs outputs;
    TaskLedger ledger;  // manager

    // A node of that level splits its tasks, if it has children.
    bool splits_at(std::size_t level) const;
    // A token stands for a place that a node below has, and the number of places is known. A larger number must be damaged.
    bool too_many_tokens(const Child& child, std::uint32_t more) const;
    // More results wait here than there are places here and below.
    bool is_crowded() const;

    void wake(Thread* thread) {
        if (thread != nullptr) kernel.port().wake(*thread);
    }
    // Puts it where its turn is, by the policy.
    void enqueue(Fifo<ItemPtr>& queue, ItemPtr task) const;
    void task_arrived(Api& api, ItemPtr task);
    // Towards the parent, or to the user on the manager.
    void pass_result(Api& api, ItemPtr item);
    void ask_parent(Api& api, std::uint32_t tasks);
    // A processor farm passes its children's tokens on. Tokens that come with a result go on with that result.
    void take_tokens(const Child& child, std::uint32_t count);

private:
    std::uint32_t places_;  // for tasks, here and below
};

}  // namespace trek_kernel
