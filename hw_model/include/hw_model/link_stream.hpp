// LinkStream: a link as a stream of bytes, as the code of a T800 sees it. The lengths of outputs at one end and of inputs at
// the other need not agree. The engine moves what both sides have asked for. The LinkEnd of a node with a core, or of the host
// towards such a node, has one (LinkEnd::stream()).
//
// docs/model/timing_model.md has the timing (Byte streams). The first byte of an output crosses the wire at once, and stays
// unacknowledged in the receiver's buffer until somebody asks for it. Cost at message level: two events
// for each part of an output that one input takes; at byte level two events a byte.
//
// To the other end an output is one LinkMessage, or several when it is longer than `most_chunk` bytes. So a node with a kernel
// receives it as a message of a circuit, and what such a node sends arrives as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <hw_model/link_protocol.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

// Whoever uses the stream. The engine calls it from an event of the Timeline, at the moment that the call tells of.
class StreamUser {
public:
    // The next bytes of the output, in order: fills `into`. Called when they begin to leave.
    virtual void take_output(std::span<std::byte> into) = 0;
    // Bytes of the input have come; some come before input_done().
    virtual void give_input(std::span<const std::byte> bytes) = 0;
    virtual void output_done() = 0;  // the last byte was acknowledged, or lost with its path
    virtual void input_done() = 0;
    virtual void byte_waits() = 0;  // once after LinkStream::ask()

protected:
    ~StreamUser() = default;
};

class LinkStream {
public:
    static constexpr std::uint32_t most_chunk = 4096;  // bytes that leave a node's memory at once

    virtual void serve(StreamUser& user) = 0;  // before the first transfer

    // From now on. One output and one input at a time; the count is at least 1. `memory`: where the bytes lie.
    virtual void output(std::uint32_t count, Memory memory) = 0;
    virtual void input(std::uint32_t count, Memory memory) = 0;
    virtual bool outputs() const = 0;
    virtual bool inputs() const = 0;

    // For traces. The outputs from here on have this name, 0 none; and that of the output whose bytes give_input() brings, in
    // its call.
    virtual void name_next_output(std::uint64_t name) = 0;
    virtual std::uint64_t name_that_comes() const = 0;

    // A whole byte is in the buffer, and no input has asked for it.
    virtual bool byte_waits() const = 0;
    // Tells the user once, when such a byte waits; `false` takes the request back.
    virtual void ask(bool wants) = 0;

    // resetch: the half forgets its transfer, and the input a byte that waits. What has been under way is lost.
    virtual void reset_output() = 0;
    virtual void reset_input() = 0;

    // The earliest moment at which something can happen that the user is told of, if no other node acts before `others`.
    // SimTime::never(): nothing was asked for.
    virtual vocabulary::SimTime earliest_news(vocabulary::SimTime others) const = 0;

protected:
    ~LinkStream() = default;
};

}  // namespace hw_model
