// LinkEnd: one of a Node's four links, or the host's. Its outgoing half queues messages and offers the first. Its incoming half
// gives each arriving message to the process that waits for it. LinkTiming::level selects the engine behind this class:
// src/message_engine.hpp or src/byte_engine.hpp. Both follow link_protocol.hpp. A LinkEnd of LinkUse::Bytes has no processes
// that wait for messages, but a stream (link_stream.hpp).
//
// At both levels the link takes memory cycles from the processor for each word of a message, at each end. A word costs one
// access of the memory that holds it (docs/model/timing_model.md, Costs at both levels). The cycles go with each word at byte
// level, and steadily while the message is on the wire at message level.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <systemc>

#include <hw_model/chronicle.hpp>
#include <hw_model/link_protocol.hpp>
#include <hw_model/processor.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <hw_model/totals.hpp>

namespace hw_model {

class LinkEngine;
class LinkStream;
class StreamEngine;

enum class LinkUse : std::uint8_t { Messages, Bytes };

class LinkEnd : public sc_core::sc_module {
public:
    LinkOut out;
    LinkIn in;

    LinkEnd(sc_core::sc_module_name name, std::uint32_t order, const LinkTiming& timing, SimTime least_byte, Timeline& timeline,
            Processor& processor, LinkUse use = LinkUse::Messages);  // `timing` must outlive it
    ~LinkEnd() override;

    // The message and its data must stay valid until `sent`. Messages leave in the order given.
    void send(LinkMessage& message);
    // One receiver a channel at a time.
    void receive(LinkReceive& request, Channel channel);
    void withdraw(LinkReceive& request, Channel channel);  // the receiver was stopped
    void withdraw(LinkMessage& message);                   // the sender was stopped; a message that has begun is lost

    LinkStream* stream();  // nullptr: LinkUse::Messages

    bool wired() const;  // from the end of elaboration on
    bool sending() const;
    bool receiving() const;
    // True while bytes go out. A message that the other end does not take does not count.
    bool moving_out() const;
    bool moving() const;  // true while bytes of a message come in
    // The node has crashed: nothing leaves or arrives any more; a message on the wire stays there for ever.
    void cut();
    // Both directions lose the message under way, as when a switch changes the path (link_protocol.hpp), and go on with the
    // next. This affects both ends of the wire. A cut link stays cut.
    void reset();
    // The node starts anew: as reset(), and all pending sends and receives of its processes are dropped.
    void restart();
    LinkTotals totals() const;
    SimTime sending_time() const;  // wire time of all accounts until now, the present message included
    // The account of the message that is leaving now.
    std::optional<vocabulary::Account> on_wire() const;

    void attach(Chronicle* chronicle, Chronicle::End end);

private:
    void end_of_elaboration() override;

    std::unique_ptr<LinkEngine> engine_;
    StreamEngine* stream_ = nullptr;  // the same engine
};

}  // namespace hw_model
