// StreamByteEngine: a byte stream at byte level, packet by packet. The rules are those of byte_engine.hpp, with one difference:
// a byte is acknowledged as soon as somebody has asked for it. It does not matter which output or input it belongs to. Cost:
// two events a byte.
#pragma once

#include "stream_engine.hpp"

namespace hw_model {

class StreamByteEngine final : public StreamEngine {
public:
    explicit StreamByteEngine(const Place& place) : StreamEngine(place) {}

    bool receiving() const override { return inputs_ && message_ != nullptr; }
    bool byte_waits() const override { return held_ && wanted_ == 0 && timeline_.now() >= seen_ + timing_.data_packet; }

private:
    enum What : std::uint32_t { SendData, SendAcknowledge, EndInput, ByteIsWhole };

    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void start() override;
    bool all_taken() const override { return acknowledged_all_; }
    void leave_wire(bool lost) override;
    bool bytes_come() const override { return inputs_ && message_ != nullptr && !message_->aborted; }
    void forget(const LinkMessage& message) override;
    void stop() override {
        if (message_ != nullptr && message_->began != SimTime::never()) message_->aborted = true;
    }
    void fire(std::uint32_t what) override;
    const LinkMessage* comes() const override { return message_; }
    void wants_bytes() override { acknowledge_when_possible(); }
    void drop_byte() override;
    void look_for_byte() override;
    SimTime output_end(SimTime others) const override;
    SimTime input_end(SimTime others) const override;
    SimTime byte_end(SimTime others) const override;

    void arm(SimTime& armed, SimTime when, What what);
    void send_data();
    void acknowledged(SimTime delay);
    void take(LinkMessage& message, SimTime delay);
    void acknowledge_when_possible();
    void send_acknowledge();
    void store();
    void steal_word(const LinkMessage& message, Memory memory);

    SimTime wire_free_;  // of the output wire, for either kind of packet

    std::uint32_t position_ = 0;  // number of the next byte of the chunk
    bool acknowledged_all_ = false;
    SimTime data_began_, data_armed_ = SimTime::never();

    LinkMessage* message_ = nullptr;  // its byte is in the buffer, or more of it come
    bool held_ = false;
    std::uint8_t byte_ = 0;       // in the buffer
    std::uint32_t in_words_ = 0;  // bytes of the present word that the input has got
    SimTime seen_, delay_;        // of the last data packet: when its start bit came, and the delay of the path
    SimTime acknowledge_armed_ = SimTime::never(), end_armed_ = SimTime::never(), whole_armed_ = SimTime::never();
};

}  // namespace hw_model
