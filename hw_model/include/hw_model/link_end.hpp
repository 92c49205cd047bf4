// LinkEnd: one of a Node's four links, or the host's. Its outgoing half queues messages and offers the first; its incoming half
// starts a message when both sides are ready, times it, and copies it when it has arrived (message level: closed form, re-timed
// when the other direction starts or ends; t800 facts, e.2). Cost: one Timeline event a message, one more for a re-timing that
// makes it shorter.
#pragma once

#include <array>
#include <cstdint>

#include <systemc>
#include <tlm>

#include <hw_model/link_protocol.hpp>
#include <hw_model/processor.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>

namespace hw_model {

// Of the outgoing direction, since the start.
struct LinkTotals {
    std::array<std::uint64_t, traffic_kinds> bytes{}, messages{};
    std::array<SimTime, traffic_kinds> busy{};  // time on the wire
};

class LinkEnd : public sc_core::sc_module, private LinkForward, private LinkBackward, private Timeline::Handler {
public:
    LinkOut out;
    LinkIn in;

    LinkEnd(sc_core::sc_module_name name, std::uint32_t order, const LinkTiming& timing, SimTime least_byte, Timeline& timeline,
            Processor& processor);  // `timing` outlives it

    // The message and what it points to stay until `sent`. Messages leave in the order given.
    void send(LinkMessage& message);
    // One receiver a channel at a time.
    void receive(LinkReceive& request, Channel channel);
    void withdraw(LinkReceive& request, Channel channel);  // the receiver was stopped

    bool wired() const { return forward_ != nullptr; }  // from the end of elaboration on
    bool sending() const { return out_front_ != nullptr; }
    bool receiving() const { return in_active_; }
    // Bytes go out. A message that the other end does not take, or never will, is no work.
    bool moving_out() const { return out_active_ && !cut_ && !out_front_->aborted; }
    bool moving() const { return in_active_ && !cut_ && !offered_->aborted; }  // bytes come in, and will until it has arrived
    // The node has died: nothing leaves and nothing arrives any more; a message on the wire stays on it for ever.
    void cut();
    const LinkTotals& totals() const { return totals_; }

private:
    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void b_transport(LinkMessage& message, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(LinkMessage& message, tlm::tlm_dmi& dmi) override;
    unsigned transport_dbg(LinkMessage& message) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    void fire(std::uint32_t what) override;
    void end_of_elaboration() override;
    void offer();
    void start_if_ready();
    void retime();
    void arrive();
    void answer(LinkMessage& message, tlm::tlm_phase_enum phase);
    std::int64_t byte_ps() const;
    void arm(SimTime when);

    LinkForward* forward_ = nullptr;  // what `out` and `in` lead to, once bound
    LinkBackward* backward_ = nullptr;
    Timeline& timeline_;
    Processor& processor_;
    std::uint32_t order_;
    const LinkTiming& timing_;
    SimTime least_byte_;

    LinkMessage *out_front_ = nullptr, *out_back_ = nullptr;
    bool out_active_ = false, cut_ = false;
    SimTime out_began_;

    LinkMessage* offered_ = nullptr;
    std::array<LinkReceive*, channels> waiting_{};
    bool in_active_ = false;
    SimTime in_end_, in_armed_ = SimTime::never(), in_updated_;
    std::int64_t in_left_ps_bytes_ = 0;  // bytes still to come, times 2^16, so that a re-timing loses no fraction
    LinkTotals totals_;
};

}  // namespace hw_model
