// The messages between two neighbours in the tree, as they travel on a link. A task or a result is two messages: a size
// message, then the data. So are the numbers of computed tasks. Every other message is a size message alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <boost/container/flat_map.hpp>

#include <trek_kernel/application.hpp>

namespace trek_kernel {

// Steal, GiveUp, Nothing and Returned belong to the policy work stealing (stealing.hpp), Alive to recovery (recovery.hpp).
enum class MessageKind : std::uint8_t { Start, Task, Result, Token, Stop, Counts, Steal, GiveUp, Nothing, Returned, Alive };

// True for messages that have data and name a task.
constexpr bool names_task(MessageKind kind) {
    return kind == MessageKind::Task || kind == MessageKind::Result || kind == MessageKind::Returned;
}

// Its modelled length is trek.size_message. A link can damage any field to any value.
struct SizeMessage {
    MessageKind kind = MessageKind::Task;
    std::uint8_t again = 0, steals = 0;  // nonzero: true, as in Item. Not bool, because a damaged bool would be undefined
    std::uint8_t unused = 0;
    std::uint32_t task = 0, subtask = 0;
    std::uint32_t size = 0;  // bytes of the data
    std::uint32_t word = 0;  // see below

    // On the way up: the number of tasks that the child can take.
    std::uint32_t tokens() const { return word; }
    // With a task on its way down: its priority, or an answer to the child's request, by the farm's policy.
    std::int32_t priority() const { return std::bit_cast<std::int32_t>(word); }
    bool answers() const { return word != 0; }
};
static_assert(sizeof(SizeMessage) == 20 && std::is_trivially_copyable_v<SizeMessage>);
static_assert(offsetof(SizeMessage, again) == 1 && offsetof(SizeMessage, steals) == 2 && offsetof(SizeMessage, task) == 4 &&
              offsetof(SizeMessage, subtask) == 8 && offsetof(SizeMessage, size) == 12 && offsetof(SizeMessage, word) == 16);

using SizeBytes = std::array<std::byte, sizeof(SizeMessage)>;
constexpr SizeBytes encode(const SizeMessage& message) {
    return std::bit_cast<SizeBytes>(message);
}
constexpr SizeMessage decode(const SizeBytes& bytes) {
    return std::bit_cast<SizeMessage>(bytes);
}

// The numbers of tasks that each node of a subtree has computed. The key is the NodeId; a node without an entry has computed
// none. The message has 4 bytes for each node of the farm. A node keeps its subtree's numbers only, because a list for the
// whole farm on each node takes a gigabyte on 16 384 nodes.
using Counts = boost::container::flat_map<std::uint32_t, std::uint32_t>;
// Requires keys below `nodes`.
Bytes encode_counts(const Counts& counts, std::size_t nodes);
bool are_counts(std::size_t body_bytes, std::size_t nodes);
// Adds the numbers in `body` to `counts`. Requires are_counts() for the length.
void add_counts(std::span<const std::byte> body, Counts& counts);

}  // namespace trek_kernel
