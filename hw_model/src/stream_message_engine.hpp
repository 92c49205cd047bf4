// StreamMessageEngine: a byte stream at message level. A transfer is what one message and one input have in common. Its two
// ends follow in closed form from the packets of byte level. They are re-timed when the other direction starts or ends
// (docs/model/timing_model.md, Byte streams). The receiving end times it. Cost: two events a transfer.
#pragma once

#include <vector>

#include "stream_engine.hpp"

namespace hw_model {

class StreamMessageEngine final : public StreamEngine {
public:
    explicit StreamMessageEngine(const Place& place) : StreamEngine(place) {}

    bool receiving() const override { return in_active_; }
    bool byte_waits() const override {
        return offered_ != nullptr && !in_active_ && wanted_ == 0 && timeline_.now() >= byte_whole_at();
    }

private:
    enum What : std::uint32_t { EndInput, EndTransfer, ByteIsWhole };
    // The bytes of a transfer: so many of the message, from that one on.
    struct Part {
        std::uint32_t first = 0, count = 0;
        bool ends_input = false, moved = false;
    };

    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void start() override { call_forward(*out_front_, tlm::BEGIN_REQ); }
    void leave_wire(bool lost) override {
        if (lost) out_active(false);
    }
    bool bytes_come() const override { return in_active_ && !offered_->aborted; }
    void forget(const LinkMessage& message) override;
    void stop() override;
    void fire(std::uint32_t what) override;
    void wants_bytes() override;
    const LinkMessage* comes() const override { return offered_; }
    void drop_byte() override;
    void look_for_byte() override;
    SimTime output_end(SimTime others) const override;
    SimTime input_end(SimTime others) const override;
    SimTime byte_end(SimTime others) const override;
    SimTime at_best(SimTime end, SimTime byte) const;

    void offered(LinkMessage& message);
    void start_if_ready();
    void begin_transfer(bool late);
    void end_transfer();
    void end_part();
    void move_bytes();
    void lose_transfer();
    void out_active(bool active);
    void retime();
    void arm(SimTime& armed, SimTime when, What what);
    void arm_ends();
    SimTime byte_time() const;
    SimTime delay() const { return timing_.pass * offered_->switches; }
    SimTime answer() const;
    SimTime whole() const;
    SimTime byte_whole_at() const { return next_at_ + delay() + whole(); }
    SimTime transfer_ends() const { return began_ + byte_time_ * part_.count; }
    SimTime input_ends() const;
    void steal_at(std::int64_t& rate, bool active, Memory memory, SimTime byte);

    bool out_active_ = false, in_active_ = false;
    std::int64_t out_rate_ = 0, in_rate_ = 0;  // stolen from the processor, in units of 2^-20

    LinkMessage* offered_ = nullptr;
    std::uint32_t taken_ = 0;  // bytes of it that belong to transfers, the present one included
    SimTime next_at_;          // without a transfer: when the next byte has begun on the wire
    SimTime asked_at_;         // when the input that takes it began
    Part part_;
    // Byte k of the part begins at began_ + k * byte_time_; a late receiver has the first one earlier, in its buffer.
    SimTime began_, byte_time_;
    SimTime end_armed_ = SimTime::never(), transfer_armed_ = SimTime::never(), whole_armed_ = SimTime::never();
    std::vector<std::byte> content_;  // of a message that a fault has changed, or whose bytes are not those of its body
};

}  // namespace hw_model
