// The link's TLM-2.0 protocol: the transactions between two LinkEnds through any number of LinkSwitches and LinkTaps, at two
// levels behind the same sockets.
//
// Message level: one transaction a message. Forward, BEGIN_REQ: the sender offers a message; each switch on the way counts
// itself in `switches`. Backward, END_REQ: the message has started, and the wire is busy from now. BEGIN_RESP: it has arrived,
// and the sender's process may go on. Both ways, link_stopped: the message is `aborted`, by a fault or because its node
// crashed. Its bytes no longer move, but it stays on the wire, and the process waits for ever. Both ends stop taking memory
// cycles for it. The sending end stops first, so the other direction gets the one-way rate.
//
// Byte level (src/byte_engine.hpp): one transaction a packet. Forward, link_data: `byte`, number `position` of the message,
// begins on the wire. Backward, link_acknowledge: its acknowledge begins on the wire of the other direction. The `delay`
// argument is the time until the first bit reaches the far end; each switch adds its pass. A module that drops a packet returns
// TLM_COMPLETED without passing it on. In the middle of a message both ends may go on without transactions, until the next
// link_broken (src/byte_run.hpp). A module that must see each packet sets `watched` at the first byte.
//
// Both levels, when a switch changes a connection: before the change it calls link_broken backward at the input that loses its
// path. The call reaches the sending LinkEnd. The LinkEnd passes link_broken forward along the old path for the message it has
// begun or offered, and the receiving end forgets the message. A transfer under way is lost, and both ends count it. The
// sender's process goes on (`sent` and `lost`); the receiver's process waits for the next message. A message that was only
// offered is kept. After the change the switch calls link_joined backward at each input with a new path, and the sending
// LinkEnd offers its first message again. No module on the way may delay link_broken, because a message lives only while its
// sender waits for it. A transfer is under way once the receiving end begins to take it (`began`). The first byte of the
// message may come earlier.
//
// Message level, towards an end that takes bytes (link_stream.hpp): link_paused backward says that the receiver has all it
// asked for. The message has more bytes. The wire is idle until link_resumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tlm>

#include <hw_model/channel.hpp>
#include <vocabulary/account.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

class Activity;
class LinkEngine;

// The memory that holds the words of a message at one end. A T800 has 4 KiB on chip, at the bottom of its memory
// (docs/model/timing_model.md, Memory).
enum class Memory : std::uint8_t { External = 0, OnChip = 1 };

struct LinkMessage;
// A fault on the way that changes the received copy of a message, at message level. Called when the message has been copied.
class MessageDamage {
public:
    virtual void arrived(const LinkMessage& message, std::span<std::byte> header, std::span<std::byte> body) = 0;

protected:
    ~MessageDamage() = default;
};

struct LinkMessage {
    Channel channel = Channel::Datalink;
    vocabulary::Account account{};                // its owner, for the totals
    std::span<const std::byte> header{}, body{};  // stay valid until the message has arrived
    std::uint32_t wire_bytes = 0;                 // modelled length, header, body and the mark that tells channels apart
    std::uint32_t messages = 1;        // messages of the program in it: a short one and the long one after it are timed as one
    vocabulary::SimTime pause;         // pause of the wire between them, for the set-up of the second
    Activity* sender = nullptr;        // woken when it has arrived
    Memory memory = Memory::External;  // memory of the sender that holds header and body
    bool sent = false;                 // set when it has arrived
    bool aborted = false;              // it never arrives: a fault struck it, or a node crashed while it was on the wire
    bool lost = false;                 // its path was changed under way; `sent` is set too, but no process received it
    // Filled on the way.
    std::uint32_t switches = 0;
    bool unconnected = false;                                  // it never arrives: a switch on the way has no connection
    vocabulary::SimTime began = vocabulary::SimTime::never();  // when the receiving end began to take it
    vocabulary::SimTime byte_time{}, due{};  // message level: time of a byte, and expected time of the message's arrival
    std::uint32_t position = 0;              // byte level: which byte of wire_bytes the packet carries
    std::uint8_t byte = 0;                   // byte level: its value on arrival, after any fault
    bool watched = false;                    // byte level: a module on the way must see each packet
    LinkEngine* taker = nullptr;             // byte level: the end that its first byte has reached
    MessageDamage* damage = nullptr;         // message level: applied on arrival
    LinkMessage* next = nullptr;             // in the sender's queue
};

// Phases beside those of TLM-2.0's base protocol; see above.
DECLARE_EXTENDED_PHASE(link_data);
DECLARE_EXTENDED_PHASE(link_acknowledge);
DECLARE_EXTENDED_PHASE(link_broken);
DECLARE_EXTENDED_PHASE(link_joined);
DECLARE_EXTENDED_PHASE(link_stopped);
DECLARE_EXTENDED_PHASE(link_paused);
DECLARE_EXTENDED_PHASE(link_resumed);

struct LinkProtocol {
    using tlm_payload_type = LinkMessage;
    using tlm_phase_type = tlm::tlm_phase;
};
using LinkForward = tlm::tlm_fw_transport_if<LinkProtocol>;
using LinkBackward = tlm::tlm_bw_transport_if<LinkProtocol>;
// A link need not be wired, hence zero or more.
using LinkOut = tlm::tlm_initiator_socket<8, LinkProtocol, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
using LinkIn = tlm::tlm_target_socket<8, LinkProtocol, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

// A process that waits for a message.
struct LinkReceive {
    // Room for the message. A longer message is cut; header_bytes and body_bytes give its full length. A node that waits for
    // its boot image may get another message if the image was lost.
    std::span<std::byte> header{}, body{};
    std::vector<std::byte>* any_body = nullptr;  // instead of `body`: takes the length that comes
    Activity* receiver = nullptr;
    Memory memory = Memory::External;  // memory that takes header and body
    bool received = false;
    std::uint32_t header_bytes = 0, body_bytes = 0, messages = 0;
    vocabulary::Account account{};
    vocabulary::SimTime arrived{};  // arrival of the last byte; the receiver may run later
};

}  // namespace hw_model
