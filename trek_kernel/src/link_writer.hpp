// LinkWriter: the process that sends to one neighbour in the tree. A node has one for its parent and one for each child, all of
// high priority. Only link writers and link readers talk to other nodes.
//
// A parent announces itself to each child before the child asks for anything, because a message without a receiver would block
// the link. So nodes start from the leaves up.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class LinkWriter {
public:
    explicit LinkWriter(NodeDesk& desk) : desk_(desk) {}

    void run_to_parent(Api& api);
    void run_to_child(Api& api, Child& child);

private:
    void send_item(Api& api, const Branch& to, const Item& item);
    void send_signal(Api& api, const Branch& to, MessageKind kind, std::uint32_t word);
    std::uint32_t word_for(const Item& item);  // the word of its size message
    void send_next_up(Api& api);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
