// Private parts of TrekNode, shared by its source files.
#pragma once

#include <trek_kernel/trek_node.hpp>

namespace trek_kernel {

struct TrekNode::Item {
    Kind kind = Kind::Task;
    TaskIdentity id;
    Bytes body;
    std::int32_t priority = 0;                          // of a task; of a bundle its most urgent
    bool answers = false;                               // the request of a node that steals
    std::optional<std::uint32_t> announced_bytes = {};  // by a planted bug: the size that the size message says
    bool again = false;                                 // issued again, or part of a task that was (recovery.hpp)
    std::uint64_t held_bytes = 0;                       // of the node's RAM, by a result that waits here
    bool steals = false;                                // the node has nothing more to compute after this result (stealing.cpp)
};

// The item that was given back last is taken first: the host's first-level cache still has it, whichever node it was on.
class TrekNode::Spares {
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

// The message that goes over a link before the data; its modelled length is trek.size_message.
struct TrekNode::SizeMessage {
    Kind kind = Kind::Task;
    std::uint8_t again = 0, steals = 0;             // not 0: as of Item. No bool, since a damaged one is no value at all
    std::uint32_t task = 0, subtask = 0, size = 0;  // size: bytes of the data message
    std::uint32_t tokens = 0;                       // see tokens_with()
};

struct TrekNode::Child {
    Branch at;
    std::size_t index = 0;                  // among the children
    std::uint32_t handed_over = 0;          // tasks that were given to it and are not back
    trollius_os::Thread* thread = nullptr;  // its output process
    Fifo<ItemPtr> queue;                    // messages that the process sends next
    Fifo<ItemPtr> pending;                  // sub-tasks that wait for its token
    bool counted = false;                   // its numbers of computed tasks have come
    bool steals = false;                    // it has asked for a task of a sibling, and waits for the answer
    Child* asked_for = nullptr;             // it has been asked to give a task up for this one, and has not answered
    bool given_up = false;                  // held for dead (recovery.hpp)
};

struct TrekNode::JoinSet {
    TaskIdentity id;
    std::vector<Bytes> parts;
    std::vector<bool> got;
    std::size_t missing = 0;
    bool again = false;      // as in Item
    std::uint32_t held = 0;  // parts that are here, and their memory
    std::uint64_t held_bytes = 0;
};

}  // namespace trek_kernel
