// Results that wait in a node (docs/model/farm.md): each takes memory from its arrival or making until it has left. The supply
// of tasks limits them. A place may go to the next task while its result still waits, unless more results wait here than there
// are places here and below. Then a result that leaves takes one place along at most, so that as many tasks come as results go.
// So the results in a worker of a processor farm never exceed its places and those of each node at and below it, added up. The
// manager, whose results wait for the user, holds as many as its memory has room for.
//
// A result that goes up never waits for a task or a place, so there is no circle of waiting. A node waits for room only when
// other results are here. These leave as soon as its parent takes them; the user takes the manager's.
#include <algorithm>
#include <utility>

#include "bundle.hpp"

namespace trek_kernel {

// Where tasks are divided only the manager waits. A result here may be the half that waits for the one that has just come.
bool TrekNode::make_room(Api& api, Item& result) {
    // At least a byte: held_bytes says later whether the result was given room.
    const std::uint64_t bytes = std::max<std::uint64_t>(1, result.body.size() + setup_.costs.size_message);
    while (!terminated_ && !hold(result, bytes)) {
        if ((divides() && !is_manager()) || result_queue_.waiting == 0) {
            kernel_.drop("trek.result", "no memory for a result", result.id.task, result.id.subtask);
            return false;
        }
        short_of_room_.push_back(&api.port().self());
        api.port().wait();
    }
    return true;  // after the end it is thrown away
}

bool TrekNode::hold(Item& result, std::uint64_t bytes) {
    if (!kernel_.port().take_memory(bytes)) return false;
    result.held_bytes = bytes;
    count_waiting();
    result_queue_.longest = std::max(result_queue_.longest, ++result_queue_.waiting);
    result_queue_.bytes += bytes;
    result_queue_.most_bytes = std::max(result_queue_.most_bytes, result_queue_.bytes);
    return true;
}

void TrekNode::count_waiting() {
    const vocabulary::SimTime now = kernel_.port().now();
    result_queue_.waited_ns += (now - result_queue_.since).in_ns() * result_queue_.waiting;
    result_queue_.since = now;
}

void TrekNode::let_go(Item& result) {
    if (result.held_bytes > 0) let_go(1, std::exchange(result.held_bytes, 0));
}

void TrekNode::let_go(std::uint32_t results, std::uint64_t bytes) {
    count_waiting();
    result_queue_.waiting -= results;
    result_queue_.bytes -= bytes;
    kernel_.port().give_back_memory(bytes);
    for (trollius_os::Thread* thread : short_of_room_) wake(thread);
    short_of_room_.clear();
}

// Its results take no more memory than it did, so there is room for them.
TrekNode::Parts TrekNode::take_apart(ItemPtr message) {
    if (setup_.config.granularity == 1) return unbundle(std::move(message));
    let_go(*message);
    Parts parts = unbundle(std::move(message));
    for (const ItemPtr& part : parts) hold(*part, part->body.size() + sizeof nobody);
    return parts;
}

bool TrekNode::crowded() const {
    // size() of such a queue costs more than empty(), and mostly both are.
    if (results_.empty() && up_.empty()) return false;
    return results_.size() + up_.size() > places_;
}

}  // namespace trek_kernel
