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

    Task<> run_to_parent(Calls& calls);
    Task<> run_to_child(Calls& calls, Child& child);

private:
    SizeBytes size_of(const Item& item);
    trollius_os::LinkPacket packet_of(const SizeBytes& size, const Item& item) const;
    void has_left(const Branch& to, const Item& item, bool arrived);
    Task<> send_signal(Calls& calls, const Branch& to, MessageKind kind, std::uint32_t word);
    std::uint32_t word_for(const Item& item);  // the word of its size message

    NodeDesk& desk_;
};

}  // namespace trek_kernel
