// A branch of the tree that is no link of the machine. Its messages go over the network layer, in the order of their sending.
// The size message travels in the pouch. Such a branch costs the rendez-vous of the network at each node on its way. Its tasks
// share the links and buffers there with all other messages.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

// `messages`: 1 for a size message alone, 2 with data.
Task<> send_over_network(Calls& calls, NodeId to, const SizeBytes& size, std::uint32_t messages, std::span<std::byte> body);
// Waits for the next message from that node of the tree. `header_bytes` is that of a size message.
Task<trollius_os::LinkReceived> receive_over_network(Calls& calls, NodeId from, SizeBytes& header, Bytes& body);

}  // namespace trek_kernel
