// castd sends one message to many nodes, and combines what they contribute. A cast is a list of nodes with a number of its own,
// first_cast or above. A message for that node number goes once to every node of the list, to the sender's too if it is there.
// The packets go down a tree over route set 2 (topologies::Network::cast_routes()), from each sender another one. The
// castd of the host numbers the casts and lays their trees; each castd on the way keeps its part.
//
// castd begins with the first message for it on its node, so a machine without casts is as if there were none. It hands a
// message to the buffers of its node. If they have no room for messages of users, it waits, and casts through the node wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <trollius_os/error_numbers.hpp>
#include <trollius_os/services/request.hpp>

namespace trollius_os {

struct NodeServices;

// How ncombine() makes one word of two. Int: 32 bits, sums wrap. Float: 32 bits.
enum class Reduction : std::int32_t { Sum = 1, Least = 2, Most = 3 };
enum class WordKind : std::int32_t { Int = 1, Float = 2 };

namespace services {

// Requests of processes have an answer. The others are between castds.
enum class CastCall : std::int32_t {
    Create = 1,  // of the host's castd; body: nodes
    Ask,         // likewise; body of the answer: the cast's nodes
    List,        // body of the answer: CastLine and nodes of each cast that the castd knows
    Combine,     // body: words
    Join,        // the host to a node of the cast: it lays its tree. Body: nodes
    Joined,      // the answer
    Lay,         // down a tree. Body: the nodes below
    Laid,        // up a tree, when all below is laid or has failed
    Leave,       // the host to a node of a cast that is not created: it takes its tree away
    Remove,      // down a tree
    Fetch,       // to the host, of a castd that has a message for a cast that it does not know
    Told,        // the answer. Body: nodes
    Partial,     // up a tree. Body: words
    Result       // down a tree. Body: words
};

// `one` and `two` depend on the call: source of the tree; reduction and kind.
struct CastRequest {
    CastCall call = CastCall::List;
    Caller caller{};  // of castds: node and events::castd
    NodeWord cast{};
    std::int32_t one = 0, two = 0;
    ErrorNumber error = 0;
    constexpr bool sound() const {
        return call >= CastCall::Create && call <= CastCall::Result && caller.node.fits() && caller.reply.value() < 0 &&
               !is_internal(caller.reply) && cast.fits();
    }
};
static_assert(sizeof(CastRequest) == 28);

struct CastAnswer {
    ErrorNumber error = 0;
    NodeWord cast{};
    std::uint32_t count = 0;  // of nodes or casts in the body
};
static_assert(sizeof(CastAnswer) == 12);

// A cast in the answer to List; its nodes follow.
struct CastLine {
    NodeWord cast{};
    std::uint32_t sent = 0, received = 0, nodes = 0;  // messages of this node's processes and for them, in packets
};
static_assert(sizeof(CastLine) == 16);

// The pouch of a packet on its way down a tree, and the beginning of its body. The message's tag is `source` and `number`.
struct CastPacket {
    NodeWord cast{}, source{};
    std::uint32_t number = 0;  // 0: no tag, or not the first packet of its message
    constexpr std::optional<MessageTag> tag() const {
        return number > 0 ? std::optional(MessageTag{.sender = source.id(), .number = number}) : std::nullopt;
    }
    constexpr bool sound() const { return cast.fits() && source.fits(); }
};
static_assert(sizeof(CastPacket) == 12);
struct CastHead {
    EventNo event{};
    std::int32_t type = 0;
    std::uint32_t flags = 0;
    Pouch data{};
};
static_assert(sizeof(CastHead) == 44 && std::has_unique_object_representations_v<CastHead>);

// The user's packet in one that castd sends; empty for any other packet.
struct CastContent {
    NodeId cast;
    EventNo event;
    std::int32_t type = 0;
    std::uint32_t flags = 0, length = 0;
};
std::optional<CastContent> cast_in(const Message& packet);

Task<> castd(Calls& calls, const NodeServices& services);  // the process; never returns

}  // namespace services

// All of these wait for an answer, without a time-out.

// Creates a cast over nodes. Cost: two messages, and three for each pair of nodes. Errors: no_nodes, EINVAL (a node
// twice), full (cost cast.table), message_length (more nodes than a packet has words). With bad_node the host does not reach a
// node. With collide the tree of a node reaches another on two ways, because routes changed or are damaged.
struct CastCreated {
    ErrorNumber error = 0;
    NodeId cast;
};
CastCreated rcast(Api& api, std::span<const NodeId> nodes);
// The nodes of a cast, in the order of its creation. bad_node: no such cast.
struct CastNodes {
    ErrorNumber error = 0;
    std::vector<NodeId> nodes;
};
CastNodes rcask(Api& api, NodeId cast);
// The casts that a node belongs to or sends to, as its castd knows them.
struct CastState {
    NodeId cast;
    std::uint32_t sent = 0, received = 0;  // packets
    std::vector<NodeId> nodes;
};
std::vector<CastState> cast_state(Api& api, NodeId node);
// Global reduction: each node of the cast calls it once a round, and each gets the combined words. A second call of a node
// belongs to the next round. Contributions meet on the tree of the cast's first node, in an order that does not depend on time.
// Cost: a message up and one down each branch, and cost cast.combine_word. bad_node: no
// such cast, or this node is not in it. EINVAL: reductions, kinds or numbers of words differ, told to all. message_length: more
// words than a packet holds.
ErrorNumber ncombine(Api& api, NodeId cast, Reduction how, WordKind kind, std::span<std::int32_t> words);

}  // namespace trollius_os
