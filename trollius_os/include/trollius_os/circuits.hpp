// Circuits between processes on any two nodes: the physical layer of Trollius. A circuit has the links of its way to itself, in
// its direction, from its opening to its closing. Packets of the datalink and other circuits wait (docs/decisions/0031). Its
// messages bypass the kernels, routers and buffers. TrEK's own messages to a neighbour do not wait (0004).
//
// To open it, a packet without buffers goes from node to node, each time when the next link is free. It meets precvopen() like
// any message for that event. Every link behind it is held from then on. So two circuits that wait for each other's links are
// deadlocked, as are those of a real machine; circuit_deadlock() names them.
//
// A message goes in pieces (cost circuit.piece). Link processes hand each on while the next one comes. The links of the way
// work at the same time.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <trollius_os/calls.hpp>
#include <trollius_os/error_numbers.hpp>
#include <trollius_os/services/pouch_codec.hpp>

namespace trollius_os {

// The sender's node and reply event, and a number that the sender gives.
struct CircuitName {
    std::int32_t source = 0;
    EventNo sender{};
    std::uint32_t number = 0;
    friend auto operator<=>(const CircuitName&, const CircuitName&) = default;
    NodeId source_node() const { return NodeId(static_cast<NodeId::value_type>(source)); }
    vocabulary::ProcessId pid() const { return vocabulary::ProcessId(static_cast<std::uint32_t>(-sender.value())); }
};

struct CircuitOpened {
    ErrorNumber error = 0;
    CircuitName circuit;
};
struct CircuitReceived {
    ErrorNumber error = 0;
    std::uint32_t length = 0;  // bytes received
};

// Waits until every link of the way is held and a process of `node` has called precvopen() with that event and a matching type.
// Without a time-out. Errors: EINVAL: the caller's own node; bad_node: unreachable; full: cost circuit.table. Cost: as a
// message without buffers, each way. A signal waits until it is over.
Task<CircuitOpened> psendopen(Calls& calls, NodeId node, EventNo event, std::int32_t type);
// Waits until the last piece has left this node. Little of a message is on its way at a time. Two processes that both send
// a long one before they receive wait for ever. EINVAL: no circuit that the caller has opened for sending.
Task<ErrorNumber> psend(Calls& calls, CircuitName circuit, std::span<const std::byte> message);
// Does not wait: the links are free when all that was sent has gone through. EINVAL as above.
Task<ErrorNumber> psendclose(Calls& calls, CircuitName circuit);

// Waits for a psendopen(). Error: full.
Task<CircuitOpened> precvopen(Calls& calls, EventNo event, std::int32_t type);
// Waits for a message, and discards what does not fit. EINVAL: no circuit that the caller has opened for receiving;
// end_of_file: the sender has closed it.
Task<CircuitReceived> precv(Calls& calls, CircuitName circuit, std::span<std::byte> room);
// Does not wait. What comes later is discarded. EINVAL as above.
Task<ErrorNumber> precvclose(Calls& calls, CircuitName circuit);

// A process that ends closes its circuits.

namespace services {

// The pouch of the packet that opens a circuit. A first word that damage does not make by chance.
struct CircuitOpening {
    static constexpr std::int32_t opens = 0x63697263, clears = 0x63697264;  // the answer, that the receiver is there
    std::int32_t first = opens;
    CircuitName name{};
    constexpr bool sound() const { return (first == opens || first == clears) && name.sender.value() < 0 && name.source >= 0; }
};
static_assert(sizeof(CircuitOpening) == 16);

// Goes over a link of an open circuit before each piece; its modelled length is cost circuit.header.
struct CircuitPiece {
    enum class Kind : std::int32_t { Data = 0x63697201, Close = 0x63697202 };
    Kind kind = Kind::Data;
    std::uint32_t whole = 0, rest = 0;  // bytes of the message, and of it after this piece
};
static_assert(sizeof(CircuitPiece) == 12 && std::has_unique_object_representations_v<CircuitPiece>);

// The circuit that this packet opens; empty for any other packet.
std::optional<CircuitName> circuit_in(const Message& packet);
// The packet is the answer to one that opens a circuit. It passes links that circuits hold: else two processes could not have
// one each way.
bool is_clear(const Message& packet);
Task<> send_clear(Calls& calls, Message clear);  // one node on
// The parts of the link processes: from the opening packet to the end of the circuit.
Task<> carry_circuit_out(Calls& calls, LinkNo link, CircuitName name);
Task<> carry_circuit_in(Calls& calls, LinkNo link, const Message& opening);

}  // namespace services

// The circuits that touch one node.
class Circuits {
public:
    // The outgoing side of a link.
    struct Way {
        std::optional<CircuitName> holder;
        std::set<CircuitName> waiting;  // whose opening packets wait here
        bool full = false, closing = false;
        std::uint32_t clears = 0;  // answers that are about to go
        services::CircuitPiece head{};
        std::optional<MessageTag> tag;  // of the message that begins with the piece
        std::vector<std::byte> body;    // of the piece that is to go
        Thread *writer = nullptr, *supplier = nullptr;
    };
    // A circuit that ends here.
    struct End {
        std::optional<vocabulary::ProcessId> receiver;
        bool ready = false;  // the answer to the sender has left, so that nothing that the receiver sends now is ahead of it
        bool taken = false, closed = false, finished = false;  // `taken`: a precv() waits
        std::span<std::byte> room{};
        std::optional<std::uint32_t> complete;
        std::optional<MessageTag> tag;  // of the message that has come, or comes
        Thread *reader = nullptr, *waiter = nullptr;
    };
    struct Origin {  // a circuit that begins here
        vocabulary::ProcessId owner;
        NodeId to;
        EventNo event{};
        LinkNo link;
        bool open = false;
    };

    Way& way(LinkNo link) { return ways_[link.value()]; }
    const Way& way(LinkNo link) const { return ways_[link.value()]; }
    std::map<CircuitName, End> ends;
    std::map<CircuitName, Origin> origins;
    std::uint32_t next_number = 1;

    std::size_t open_ends() const { return ends.size() + origins.size(); }
    // The process has ended: its circuits close. The caller has settled.
    void forget(NodePort& port, vocabulary::ProcessId pid);

private:
    std::array<Way, 4> ways_;
};

// Circuits that wait for each other's links.
struct CircuitWait {
    CircuitName waits;
    NodeId at;
    LinkNo link;        // that it waits for
    CircuitName holds;  // which holds it
};
// The link that an opening circuit waits for; empty: none. `kernels`: all of the machine.
std::optional<CircuitWait> circuit_wait(std::span<Kernel* const> kernels, const CircuitName& circuit);
// Every circuit of a ring of waits, beginning with the least name; empty when there is none.
std::vector<CircuitWait> circuit_deadlock(std::span<Kernel* const> kernels);

}  // namespace trollius_os
