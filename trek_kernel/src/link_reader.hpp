// LinkReader: the process that receives from one neighbour in the tree. A node has one for its parent and one for each child,
// all of high priority. It always receives, so the link stays open for the kernel's messages and the trace. An implausible
// message was damaged on the link and is dropped.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class LinkReader {
public:
    explicit LinkReader(NodeDesk& desk) : desk_(desk) {}

    void run(Api& api, const Branch& from, Child* child);  // `child`: the sender, nullptr for the parent

private:
    const char* what_is_wrong(const SizeMessage& size, const trollius_os::LinkReceived& got, const Child* child) const;
    ItemPtr item_of(const SizeMessage& size, Bytes body);
    void signal_arrived(Api& api, const SizeMessage& size, Child* child);
    void item_arrived(Api& api, const Branch& from, Child* child, const SizeMessage& size, ItemPtr item);
    // Every accepted result of a child passes here.
    void result_arrived(Api& api, Child& child, std::uint32_t tokens, ItemPtr item);
    void parent_is_there(Api& api);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
