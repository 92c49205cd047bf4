// ResultRoom: the memory of the results that wait in a node (docs/model/farm.md). A result occupies memory from its arrival or
// making until it has left. The supply of tasks limits the number of results. A place may go to the next task while its result
// still waits, unless more results wait than there are places here and below. Then each leaving result frees at most one place,
// so as many tasks come as results go. So a worker of a processor farm holds at most P + S results. P is its number of places,
// S the sum of P over itself and all nodes below. The manager, whose results wait for the user, holds as many as its memory
// allows.
//
// A result on its way up never waits for a task or a place, so no deadlock can arise. A node waits for room only while it holds
// other results. Those leave as soon as the parent takes them; the user takes the manager's.
#pragma once

#include <cstdint>
#include <vector>

#include <trek_kernel/farm_state.hpp>
#include <trollius_os/kernel.hpp>

#include "item.hpp"

namespace trek_kernel {

class ResultRoom {
public:
    // A result takes `overhead` bytes besides its own. `waits`: the node may wait for room.
    ResultRoom(trollius_os::Kernel& kernel, std::uint32_t overhead, bool waits)
        : kernel_(kernel), overhead_(overhead), waits_(waits) {}

    // Waits for room if that can help. False: the result is dropped. True after the end of the farm, when every result is
    // discarded.
    coroutines::Task<bool> make_room(trollius_os::Calls& calls, Item& result);
    bool hold(Item& result, std::uint64_t bytes);  // false: no memory
    // Wakes who waits for room.
    coroutines::Task<> let_go(Item& result);
    coroutines::Task<> let_go(std::uint32_t results, std::uint64_t bytes);
    // Splits a message into its results. They need no more memory than the message, so there is room.
    coroutines::Task<Parts> take_apart(ItemPtr message, std::uint32_t granularity);
    // The farm has ended here: no result needs room any more, and no process waits for it.
    coroutines::Task<> close();
    bool closed() const { return closed_; }
    const ResultQueue& queue() const { return queue_; }

private:
    void count_waiting();
    coroutines::Task<bool> wait_for_room(trollius_os::Calls& calls, Item& result, std::uint64_t bytes);
    coroutines::Task<Parts> take_bundle_apart(ItemPtr message, std::uint32_t granularity);
    coroutines::Task<> wake_short_of_room();
    coroutines::Task<> release_short_of_room();

    trollius_os::Kernel& kernel_;
    ResultQueue queue_;
    std::uint32_t overhead_;
    bool waits_, closed_ = false;
    std::vector<trollius_os::Thread*> short_of_room_;
};

}  // namespace trek_kernel
