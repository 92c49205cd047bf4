// Bundles: tasks that travel in one message pair (granularity g > 1; docs/model/farm.md). Task t has place t % g in the bundle
// with number t - t % g. For each place up to the last used one, the body holds a length of 4 bytes, then that many bytes. The
// length `nobody` marks a task that was never sent. With g = 1 a message is the bare task.
#pragma once

#include <cstring>
#include <limits>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "item.hpp"

namespace trek_kernel {

inline constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// True when the lengths in a bundle's body are consistent.
bool is_bundle(std::span<const std::byte> body, std::uint32_t granularity);
// True when the body is plausible; its length must be checked before.
bool fits(const Item& item, std::uint32_t granularity);
// Splits a message into its single tasks or results.
Parts unbundle(ItemPtr message, std::uint32_t granularity);
std::uint32_t tasks_in(const Item& message, std::uint32_t granularity);

// Calls take(TaskIdentity, std::span<const std::byte>) for each task or result of a message, in order of the places.
template <class Take>
void for_each_part(const TaskIdentity& id, std::span<const std::byte> body, std::uint32_t granularity, Take take) {
    if (granularity == 1) return take(id, body);
    for (TaskIdentity part = id; body.size() >= sizeof nobody; ++part.task) {
        std::uint32_t length = 0;
        std::memcpy(&length, body.data(), sizeof length);
        body = body.subspan(sizeof length);
        if (length == nobody) continue;
        take(std::as_const(part), body.first(length));
        body = body.subspan(length);
    }
}

// Collects single tasks or results into messages, each in the bundle of its number and sub-task. One that comes out of order,
// or twice, gets a separate message, so nothing is ever replaced.
class Bundler {
public:
    explicit Bundler(std::uint32_t granularity) : granularity_(granularity) {}
    Bundler(Bundler&&) noexcept = default;
    void add(ItemPtr one);
    // Sends the messages formed so far, in the order of their beginnings; empty afterwards.
    template <class Send>
    void close(Send send) {
        for (Open& message : open_) send(std::move(message.item));
        open_.clear();
    }

private:
    struct Open {
        ItemPtr item;
        std::uint32_t places = 0;
    };
    static void append(Open& message, std::uint32_t place, const Item& one);
    std::uint32_t granularity_;
    boost::container::small_vector<Open, 1> open_;
};

}  // namespace trek_kernel
