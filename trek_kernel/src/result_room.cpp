#include "result_room.hpp"

#include <algorithm>
#include <utility>

#include <trollius_os/api.hpp>

#include "bundle.hpp"

namespace trek_kernel {

bool ResultRoom::make_room(trollius_os::Api& api, Item& result) {
    // At least a byte: held_bytes says later whether the result was given room.
    const std::uint64_t bytes = std::max<std::uint64_t>(1, result.body.size() + overhead_);
    while (!closed_ && !hold(result, bytes)) {
        if (!waits_ || queue_.waiting == 0) {
            kernel_.drop("trek.result", "no memory for a result", result.id.task, result.id.subtask);
            return false;
        }
        short_of_room_.push_back(&api.port().self());
        api.port().wait();
    }
    return true;
}

bool ResultRoom::hold(Item& result, std::uint64_t bytes) {
    if (!kernel_.port().take_memory(bytes)) return false;
    result.held_bytes = bytes;
    count_waiting();
    queue_.longest = std::max(queue_.longest, ++queue_.waiting);
    queue_.bytes += bytes;
    queue_.most_bytes = std::max(queue_.most_bytes, queue_.bytes);
    return true;
}

void ResultRoom::count_waiting() {
    const vocabulary::SimTime now = kernel_.port().now();
    queue_.waited_ns += (now - queue_.since).in_ns() * queue_.waiting;
    queue_.since = now;
}

void ResultRoom::let_go(Item& result) {
    if (result.held_bytes > 0) let_go(1, std::exchange(result.held_bytes, 0));
}

void ResultRoom::let_go(std::uint32_t results, std::uint64_t bytes) {
    count_waiting();
    queue_.waiting -= results;
    queue_.bytes -= bytes;
    kernel_.port().give_back_memory(bytes);
    for (trollius_os::Thread* thread : short_of_room_) kernel_.port().wake(*thread);
    short_of_room_.clear();
}

Parts ResultRoom::take_apart(ItemPtr message, std::uint32_t granularity) {
    if (granularity == 1) return unbundle(std::move(message), granularity);
    let_go(*message);
    Parts parts = unbundle(std::move(message), granularity);
    for (const ItemPtr& part : parts) hold(*part, part->body.size() + sizeof nobody);
    return parts;
}

void ResultRoom::close() {
    closed_ = true;
    for (trollius_os::Thread* thread : short_of_room_) kernel_.port().wake(*thread);
}

}  // namespace trek_kernel
