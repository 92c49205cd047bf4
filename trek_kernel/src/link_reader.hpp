// LinkReader: the process that receives from one neighbour in the tree. A node has one for its parent and one for each child,
// all of high priority. It always receives, so the link stays open for the kernel's messages and the trace. An implausible
// message was damaged on the link and is dropped.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class LinkReader {
public:
    explicit LinkReader(NodeDesk& desk) : desk_(desk) {}

    Task<> run(Calls& calls, const Branch& from, Child* child);  // `child`: the sender, nullptr for the parent

private:
    const char* what_is_wrong(const SizeMessage& size, const trollius_os::LinkReceived& got, const Child* child) const;
    ItemPtr item_of(const SizeMessage& size, Bytes& body);
    Task<> signal_arrived(Calls& calls, const SizeMessage& size, Child* child);
    Task<> item_arrived(Calls& calls, const Branch& from, Child& child, const SizeMessage& size, ItemPtr item);
    ItemPtr accepted(const SizeMessage& size, const trollius_os::LinkReceived& got, Child* child, Bytes& body);
    // Every accepted result of a child passes here.
    Task<> result_arrived(Calls& calls, Child& child, std::uint32_t tokens, ItemPtr item);
    Task<> tokens_arrived(Calls& calls, const Child& child, std::uint32_t tokens);
    Task<> parent_is_there(Calls& calls);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
