// LinkPort: what the core asks of the link engines of its node. The core calls it while it runs. run_until() returns after such
// a call, so that the node can set the engine to work at Core::now().
//
// An engine moves bytes through the core: Core::take_output() and Core::give_input(). The core checks the addresses, and keeps
// its decoded code true. Links are byte streams: the counts of both ends need not agree.
#pragma once

#include <cstdint>

#include <vocabulary/ids.hpp>

namespace t800_core {

using vocabulary::LinkNo;

enum class Direction : std::uint8_t { Output = 0, Input = 1 };

struct Transfer {
    std::uint32_t address = 0;  // of the first byte, as the program gave it; it tells on-chip memory from external memory
    std::uint32_t count = 0;    // bytes. May be 0: the node then calls output_done() or input_done() at once
};

class LinkPort {
public:
    virtual ~LinkPort() = default;

    // The process waits until Core::output_done(link). A second start before that means that code overwrote the channel word:
    // the new transfer replaces the old one.
    virtual void start_output(LinkNo link, const Transfer& transfer) = 0;
    // The same, until Core::input_done(link).
    virtual void start_input(LinkNo link, const Transfer& transfer) = 0;
    // An ALT looks at the input. The core returns at the end of the instruction that asks, and asks when it is run again. So
    // the node may answer as of Core::now(). True when a byte waits. Otherwise the node calls Core::input_ready(link) once,
    // when one comes.
    virtual bool enable_input(LinkNo link) = 0;
    // The ALT is over: takes the request back. True when a byte waits.
    virtual bool disable_input(LinkNo link) = 0;
    // resetch: this half of the link forgets its transfer, its request, and a byte or acknowledge that is outstanding.
    virtual void reset_half(LinkNo link, Direction half) = 0;
    // A process took the event: EventAck rises.
    virtual void acknowledge_event() = 0;
};

}  // namespace t800_core
