// Item: a message of the farm inside a node: a task, a result or a signal, with its attributes.
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
    std::int32_t priority = 0;                          // priority of a task; for a bundle, of its most urgent task
    bool answers = false;                               // answers the request of a node that steals
    std::optional<std::uint32_t> announced_bytes = {};  // a planted bug: false size in the size message
    bool again = false;                                 // issued again, or part of a task that was (recovery.hpp)
    std::uint64_t held_bytes = 0;                       // RAM that a waiting result occupies
    bool steals = false;                                // the node has nothing more to compute after this result (stealing.hpp)
};
using ItemPtr = std::unique_ptr<Item>;
using Parts = boost::container::small_vector<ItemPtr, 1>;  // the parts of a bundle

inline ItemPtr signal_item(MessageKind kind) {
    return std::make_unique<Item>(Item{kind, {}, {}});
}

// A queue that takes no memory while empty (std::deque takes 600 bytes at once). Most queues of a large machine are empty.
template <class Element>
using Fifo = boost::container::deque<Element>;

// Free items for all nodes of a farm. The last freed item is taken first, because it is still in the host's first-level cache.
// An item keeps the memory of a short body for the next one.
class Spares {
public:
    static constexpr std::size_t most_body_kept = 256;  // bytes

    ItemPtr take() {
        if (items_.empty()) return std::make_unique<Item>();
        ItemPtr item = std::move(items_.back());
        items_.pop_back();
        return item;
    }
    void put(ItemPtr item) {
        constexpr std::size_t most_kept = 64;
        if (items_.size() >= most_kept) return;
        Bytes body = std::move(item->body);
        *item = {};
        if (body.capacity() <= most_body_kept) {
            body.clear();
            item->body = std::move(body);
        }
        items_.push_back(std::move(item));
    }

private:
    std::vector<ItemPtr> items_;
};

}  // namespace trek_kernel
