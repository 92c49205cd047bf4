// Private parts of TrekNode, shared by its source files.
#pragma once

#include <trek_kernel/trek_node.hpp>

namespace trek_kernel {

struct TrekNode::Item {
    Kind kind = Kind::Task;
    TaskIdentity id;
    Bytes body;
    std::optional<std::uint32_t> announced_bytes = {};  // by a planted bug: what the size message says
};

// What goes over a link before the data; its modelled length is trek.size_message.
struct TrekNode::SizeMessage {
    Kind kind = Kind::Task;
    std::uint32_t task = 0, subtask = 0, size = 0;  // size: bytes of the data message
    std::uint32_t tokens = 0;                       // going up: tasks that the child can take
};

struct TrekNode::Child {
    Branch at;
    trollius_os::Thread* thread = nullptr;  // its output process
    Fifo<ItemPtr> queue;                    // what that process sends next
    Fifo<ItemPtr> pending;                  // sub-tasks that wait for its token
    std::uint32_t tokens = 0;
    bool counted = false;  // its numbers of computed tasks have come
};

struct TrekNode::JoinSet {
    TaskIdentity id;
    std::vector<Bytes> parts;
    std::vector<bool> got;
    std::size_t missing = 0;
};

}  // namespace trek_kernel
