// LinkEnd: one of a Node's four links, or the host's. Its outgoing half queues messages and offers the first. Its incoming half
// gives each arriving message to the process that waits for it. LinkTiming::level says how the path in between is modelled:
// each level has an engine behind this class, src/message_engine.hpp and src/byte_engine.hpp. Both follow link_protocol.hpp.
//
// At both levels the link takes memory cycles from the processor for each word of a message, at each end. It takes as many as
// an access of the memory that holds the words (t800 facts, e.3). At byte level it takes them with each word, at message level
// steadily while the message is on the wire.
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

class LinkEnd : public sc_core::sc_module {
public:
    LinkOut out;
    LinkIn in;

    LinkEnd(sc_core::sc_module_name name, std::uint32_t order, const LinkTiming& timing, SimTime least_byte, Timeline& timeline,
            Processor& processor);  // `timing` outlives it
    ~LinkEnd() override;

    // The message and the data it points to stay until `sent`. Messages leave in the order given.
    void send(LinkMessage& message);
    // One receiver a channel at a time.
    void receive(LinkReceive& request, Channel channel);
    void withdraw(LinkReceive& request, Channel channel);  // the receiver was stopped
    void withdraw(LinkMessage& message);                   // the sender was stopped; a message that has begun is lost

    bool wired() const;  // from the end of elaboration on
    bool sending() const;
    bool receiving() const;
    // Bytes go out. A message that the other end does not take, or never will, does not count as work.
    bool moving_out() const;
    bool moving() const;  // bytes come in, and will until it has arrived
    // The node has died: nothing leaves and nothing arrives any more; a message on the wire stays on it for ever.
    void cut();
    // Both directions lose the messages under way, as when a switch changes their paths (link_protocol.hpp), and go on with the
    // next. That concerns this half and the one it is wired to. A link that is cut stays so.
    void reset();
    // The node starts anew: as reset(), and the messages its processes wanted to send or receive are forgotten.
    void restart();
    LinkTotals totals() const;
    SimTime sending_time() const;  // on the wire until now, of all accounts, with the message that is on it
    // The account of the message whose bytes leave over the wire now.
    std::optional<vocabulary::Account> on_wire() const;

    void attach(Chronicle* chronicle, Chronicle::End end);

private:
    void end_of_elaboration() override;

    std::unique_ptr<LinkEngine> engine_;
};

}  // namespace hw_model
