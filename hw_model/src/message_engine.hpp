// MessageEngine: the engine of a LinkEnd at message level (link_protocol.hpp). The incoming half starts a message when both
// sides are ready, times it, and copies it when it has arrived. The closed form is re-timed when the other direction starts or
// ends (docs/model/timing_model.md, Message level). Cost: one Timeline event a message, one more for a re-timing that shortens
// it.
#pragma once

#include "link_engine.hpp"

namespace hw_model {

class MessageEngine final : public LinkEngine {
public:
    explicit MessageEngine(const Place& place) : LinkEngine(place) {}

    bool receiving() const override { return in_active_; }

private:
    // The share of the processor's time that a direction takes, in units of 2^-20. `account`: the message's, kept for a
    // Chronicle only.
    struct Theft {
        std::int32_t rate = 0;
        vocabulary::Account account;
    };

    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void start() override;
    void leave_wire(bool lost) override;
    void receiver_waits() override { start_if_ready(); }
    bool bytes_come() const override { return in_active_ && !offered_->aborted; }
    void forget(const LinkMessage& message) override;
    void stop() override;
    void fire(std::uint32_t what) override;

    void start_if_ready();
    void out_active(bool active);
    void out_rate_changed();
    void stop_sending();
    void stop_receiving(const LinkMessage& message);
    void retime();
    void arrive();
    void arm(SimTime when);
    SimTime byte_time() const;
    void steal_for(Theft& theft, const LinkMessage* message, Memory memory);

    bool out_active_ = false, in_active_ = false;
    LinkMessage* offered_ = nullptr;
    SimTime in_end_, in_armed_ = SimTime::never(), in_updated_;
    std::int64_t in_left_ps_bytes_ = 0;  // bytes still to come, times 2^16, so a re-timing loses no fraction
    Theft out_theft_, in_theft_;
};

}  // namespace hw_model
