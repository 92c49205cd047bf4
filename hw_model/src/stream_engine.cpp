#include "stream_engine.hpp"

#include <algorithm>

#include <vocabulary/contract.hpp>

namespace hw_model {

void StreamEngine::output(std::uint32_t count, Memory memory) {
    EXPECTS(!outputs_ && count > 0, "link_stream.output");
    outputs_ = true;
    left_ = count;
    out_memory_ = memory;
    next_chunk();
}

void StreamEngine::next_chunk() {
    const std::uint32_t count = std::min(left_, most_chunk);
    left_ -= count;
    bytes_.resize(count);
    user_->take_output(bytes_);
    chunk_ = {};
    chunk_.channel = Channel::Circuit;
    chunk_.body = bytes_;
    chunk_.wire_bytes = count;
    chunk_.memory = out_memory_;
    chunk_.watched = true;  // no run of two ByteEngines
    chunk_.name = name_;
    send(chunk_);
}

// The chunk has arrived, or its path was taken away. Then the rest of the output is lost with it.
void StreamEngine::gone() {
    if (!outputs_) return;
    if (left_ > 0 && !chunk_.lost) return next_chunk();
    outputs_ = false;
    left_ = 0;
    user_->output_done();
}

void StreamEngine::input(std::uint32_t count, Memory memory) {
    EXPECTS(!inputs_ && count > 0, "link_stream.input");
    inputs_ = true;
    asks_ = false;
    wanted_ = count;
    in_memory_ = memory;
    if (!cut_) wants_bytes();
}

void StreamEngine::end_input() {
    inputs_ = false;
    user_->input_done();
}

void StreamEngine::ask(bool wants) {
    asks_ = wants;
    if (wants) look_for_byte();
}

void StreamEngine::tell_of_byte() {
    if (!asks_ || cut_) return;
    asks_ = false;
    user_->byte_waits();
}

void StreamEngine::reset_output() {
    if (!outputs_) return;
    outputs_ = false;
    left_ = 0;
    withdraw(chunk_);
}

void StreamEngine::reset_input() {
    inputs_ = asks_ = false;
    wanted_ = 0;
    drop_byte();
}

void StreamEngine::starts_anew() {
    outputs_ = inputs_ = asks_ = false;
    left_ = wanted_ = 0;
    drop_byte();
}

// The first byte of a message that begins at `others` is whole a packet later, and no sooner. A crossbar that takes its path
// away ends an output at once.
SimTime StreamEngine::earliest_news(SimTime others) const {
    SimTime earliest = SimTime::never();
    if (cut_) return earliest;
    if (outputs_) earliest = std::min(earliest, chunk_.switches > 0 ? others : output_end(others));
    if (inputs_) earliest = std::min(earliest, input_end(others));
    if (asks_) earliest = std::min(earliest, byte_end(others));
    return earliest;
}

}  // namespace hw_model
