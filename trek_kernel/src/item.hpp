// Item: a message of the farm inside a node: a task, a result or a signal, and the facts that go with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/container/deque.hpp>
#include <boost/container/small_vector.hpp>

#include "messages.hpp"

namespace trek_kernel {

struct Item {
    MessageKind kind = MessageKind::Task;
    TaskIdentity id;
    Bytes body;
    std::int32_t priority = 0;                          // of a task; of a bundle its most urgent
    bool answers = false;                               // the request of a node that steals
    std::optional<std::uint32_t> announced_bytes = {};  // by a planted bug: the size that the size message says
    bool again = false;                                 // issued again, or part of a task that was (recovery.hpp)
    std::uint64_t held_bytes = 0;                       // of the node's RAM, by a result that waits here
    bool steals = false;                                // the node has nothing more to compute after this result (stealing.hpp)
};
using ItemPtr = std::unique_ptr<Item>;
using Parts = boost::container::small_vector<ItemPtr, 1>;  // of a bundle

inline ItemPtr signal_item(MessageKind kind) {
    return std::make_unique<Item>(Item{kind, {}, {}});
}

// Takes no memory while it is empty, as most queues are on most nodes of a large machine (std::deque takes 600 bytes at once).
template <class Element>
using Fifo = boost::container::deque<Element>;

// Unused items, for all nodes of a farm. The item that was given back last is taken first: the host's first-level cache still
// has it, whichever node it was on.
class Spares {
public:
    ItemPtr take() {
        if (items_.empty()) return std::make_unique<Item>();
        ItemPtr item = std::move(items_.back());
        items_.pop_back();
        return item;
    }
    void put(ItemPtr item) {
        constexpr std::size_t most_kept = 64;
        if (items_.size() >= most_kept) return;
        *item = {};
        items_.push_back(std::move(item));
    }

private:
    std::vector<ItemPtr> items_;
};

}  // namespace trek_kernel
