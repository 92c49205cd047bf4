#include "result_room.hpp"

#include <algorithm>
#include <utility>

#include <trollius_os/api.hpp>

#include "bundle.hpp"

namespace trek_kernel {

using coroutines::Task;

Task<bool> ResultRoom::make_room(trollius_os::Calls& calls, Item& result) {
    // At least a byte: held_bytes says later whether the result was given room.
    const std::uint64_t bytes = std::max<std::uint64_t>(1, result.body.size() + overhead_);
    if (closed_ || hold(result, bytes)) return true;
    return wait_for_room(calls, result, bytes);
}

Task<bool> ResultRoom::wait_for_room(trollius_os::Calls& calls, Item& result, std::uint64_t bytes) {
    do {
        if (!waits_ || queue_.waiting == 0) {
            kernel_.drop("trek.result", "no memory for a result", result.id.task, result.id.subtask);
            co_return false;
        }
        short_of_room_.push_back(&calls.port().self());
        co_await calls.wait();
    } while (!closed_ && !hold(result, bytes));
    co_return true;
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

Task<> ResultRoom::let_go(Item& result) {
    return result.held_bytes > 0 ? let_go(1, std::exchange(result.held_bytes, 0)) : Task<>();
}

Task<> ResultRoom::let_go(std::uint32_t results, std::uint64_t bytes) {
    count_waiting();
    queue_.waiting -= results;
    queue_.bytes -= bytes;
    kernel_.port().give_back_memory(bytes);
    return short_of_room_.empty() ? Task<>() : release_short_of_room();
}

Task<> ResultRoom::release_short_of_room() {
    co_await wake_short_of_room();
    short_of_room_.clear();
}

// Those that are short of room now. The list can grow while they are woken.
Task<> ResultRoom::wake_short_of_room() {
    const std::size_t count = short_of_room_.size();
    for (std::size_t i = 0; i < count; ++i) co_await kernel_.port().wake(short_of_room_[i]);
}

Task<Parts> ResultRoom::take_apart(ItemPtr message, std::uint32_t granularity) {
    if (granularity == 1) return unbundle(std::move(message), granularity);
    return take_bundle_apart(std::move(message), granularity);
}

Task<Parts> ResultRoom::take_bundle_apart(ItemPtr message, std::uint32_t granularity) {
    co_await let_go(*message);
    Parts parts = unbundle(std::move(message), granularity);
    for (const ItemPtr& part : parts) hold(*part, part->body.size() + sizeof nobody);
    co_return parts;
}

Task<> ResultRoom::close() {
    closed_ = true;
    return wake_short_of_room();
}

}  // namespace trek_kernel
