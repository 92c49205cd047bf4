// NodeDesk: the state that the processes of one node share (thesis, section 5.3.1). It has the trays in which they pass tasks
// and results, the places of tasks in work, and the children with their tokens. It also wakes processes.
//
// Each process is a class beside this file, which knows the desk and no other process.
//
// The desk also holds three parts that are no processes. Ending is always present, Recovery only in a surviving farm, Stealing
// only in one that steals.
//
// A call that returns a Task may wait. A process that is a coroutine awaits it; one with a stack of its own gets its result.
// Only calls with a Calls argument charge modelled time.
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

using coroutines::Task;
using trollius_os::Api;
using trollius_os::Calls;
using trollius_os::Thread;

class Ending;
class Recovery;
class Stealing;

// A queue and the process that takes from it and waits while it is empty. nullptr: the process does not run yet.
struct Tray {
    Fifo<ItemPtr> items;
    Thread* reader = nullptr;
};

// The place of one task at a user's process. It is occupied from the decision until the task is done.
struct WorkPlace {
    ItemPtr task;
    bool taken = false;
    Thread* worker = nullptr;
};

struct Child {
    Branch at;
    std::size_t index = 0;          // index among the children
    std::uint32_t handed_over = 0;  // tasks given to it and not back
    Thread* writer = nullptr;       // the process that sends to it
    Fifo<ItemPtr> queue;            // messages for the writer to send next
    Fifo<ItemPtr> pending;          // sub-tasks that wait for its token
    bool counted = false;           // its numbers of computed tasks are here
    bool given_up = false;          // considered crashed (recovery.hpp)
};

class NodeDesk {
public:
    // `farm` and `spares` must outlive it.
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
    bool started = false;        // the parent runs; a message to a node that is not loaded would block the link
    std::uint32_t computed = 0;  // number of tasks computed by this node
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

    // True when a node of that level with children splits its tasks.
    bool splits_at(std::size_t level) const;
    // True when a token count exceeds the known number of places below, so the message must be damaged.
    bool too_many_tokens(const Child& child, std::uint32_t more) const;
    // True when more results wait here than there are places here and below.
    bool is_crowded() const;

    trollius_os::NodePort::Wake wake(Thread* thread) { return kernel.port().wake(thread); }
    // Inserts the task at its turn, by the policy.
    void enqueue(Fifo<ItemPtr>& queue, ItemPtr task) const;
    // The ends of the next two calls, without charge: each returns whom to wake.
    Thread* take_in(ItemPtr task);
    Thread* put_out(ItemPtr result);
    Task<> task_arrived(Calls& calls, ItemPtr task);
    // Passes a result to the parent; on the manager, to the user.
    Task<> pass_result(Calls& calls, ItemPtr item);
    Task<> ask_parent(Calls& calls, std::uint32_t tasks) { return is_manager || tasks == 0 ? Task<>() : send_up(calls, tasks); }
    // A node of a processor farm forwards its children's tokens. Tokens that come with a result go on with that result.
    // Returns whom to wake for it, or nullptr.
    Thread* take_tokens(const Child& child, std::uint32_t count);

private:
    Task<> send_up(Calls& calls, std::uint32_t tokens);

    std::uint32_t places_;  // places for tasks, here and below
};

}  // namespace trek_kernel
