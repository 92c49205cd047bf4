// ResultRoom: the memory of the results that wait in a node (docs/model/farm.md). Each takes memory from its arrival or making
// until it has left. The supply of tasks limits them. A place may go to the next task while its result still waits, unless more
// results wait here than there are places here and below. Then a result that leaves takes one place along at most, so that as
// many tasks come as results go. So the results in a worker of a processor farm never exceed its places and those of each node
// at and below it, added up. The manager, whose results wait for the user, holds as many as its memory has room for.
//
// A result that goes up never waits for a task or a place, so there is no circle of waiting. A node waits for room only when
// other results are here. These leave as soon as its parent takes them; the user takes the manager's.
#pragma once

#include <cstdint>
#include <vector>

#include <trek_kernel/farm_state.hpp>
#include <trollius_os/kernel.hpp>

#include "item.hpp"

namespace trek_kernel {

class ResultRoom {
public:
    // A result takes `overhead` bytes beside its own. `waits`: the node may wait until there is room.
    ResultRoom(trollius_os::Kernel& kernel, std::uint32_t overhead, bool waits)
        : kernel_(kernel), overhead_(overhead), waits_(waits) {}

    // Waits until there is room, where that can help. False: the result is dropped. True after the end of the farm, when every
    // result is thrown away.
    bool make_room(trollius_os::Api& api, Item& result);
    bool hold(Item& result, std::uint64_t bytes);  // false: no memory
    void let_go(Item& result);
    void let_go(std::uint32_t results, std::uint64_t bytes);
    // The results of a message. They take no more memory than it did, so there is room for them.
    Parts take_apart(ItemPtr message, std::uint32_t granularity);
    // The farm has ended here: no result needs room any more, and nobody waits for it.
    void close();
    bool closed() const { return closed_; }
    const ResultQueue& queue() const { return queue_; }

private:
    void count_waiting();

    trollius_os::Kernel& kernel_;
    ResultQueue queue_;
    std::uint32_t overhead_;
    bool waits_, closed_ = false;
    std::vector<trollius_os::Thread*> short_of_room_;
};

}  // namespace trek_kernel
