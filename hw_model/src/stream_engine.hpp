// StreamEngine: the part of a byte stream (link_stream.hpp) that both levels share. An output goes as chunks, each a
// LinkMessage in the queue of the LinkEngine. It also knows what the user of the stream has asked for.
#pragma once

#include <cstdint>
#include <vector>

#include <hw_model/link_stream.hpp>

#include "byte_layout.hpp"
#include "link_engine.hpp"

namespace hw_model {

// A part of an output. Only messages of streams have no `sender`.
struct StreamChunk : LinkMessage {
    std::uint64_t name = 0;  // LinkStream::name_next_output()
};

class StreamEngine : public LinkEngine, public LinkStream {
public:
    void serve(StreamUser& user) override { user_ = &user; }
    void output(std::uint32_t count, Memory memory) override;
    void input(std::uint32_t count, Memory memory) override;
    bool outputs() const override { return outputs_; }
    bool inputs() const override { return inputs_; }
    void ask(bool wants) override;
    void reset_output() override;
    void reset_input() override;
    SimTime earliest_news(SimTime others) const override;
    void name_next_output(std::uint64_t name) override { name_ = name; }
    std::uint64_t name_that_comes() const override {
        const LinkMessage* const from = comes();
        return from == nullptr || from->sender != nullptr ? 0 : static_cast<const StreamChunk*>(from)->name;
    }

protected:
    explicit StreamEngine(const Place& place) : LinkEngine(place) {}

    // For the level: `wanted_` has grown; a byte that waits is dropped; the user asks to be told of one.
    virtual void wants_bytes() = 0;
    virtual void drop_byte() = 0;
    virtual void look_for_byte() = 0;
    virtual const LinkMessage* comes() const = 0;  // whose bytes give_input() brings now
    // From the level: when the transfers that are under way can end, at the earliest.
    virtual SimTime output_end(SimTime others) const = 0;
    virtual SimTime input_end(SimTime others) const = 0;
    virtual SimTime byte_end(SimTime others) const = 0;

    void starts_anew() override;
    void gone() override;
    void receiver_waits() override {}  // nobody receives messages

    void tell_of_byte();
    void end_input();

    StreamUser* user_ = nullptr;
    std::uint32_t wanted_ = 0;  // bytes that the input has asked for and no transfer has claimed
    bool outputs_ = false, inputs_ = false, asks_ = false;

private:
    void next_chunk();

    std::uint32_t left_ = 0;  // of the output, behind the present chunk
    Memory out_memory_ = Memory::External;
    StreamChunk chunk_;
    std::uint64_t name_ = 0;
    std::vector<std::byte> bytes_;  // of the chunk
};

}  // namespace hw_model
