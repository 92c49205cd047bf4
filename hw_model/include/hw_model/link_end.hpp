// LinkEnd: one of a Node's four links, or the host's. Its outgoing half queues messages and offers the first. Its incoming half
// gives each arriving message to the process that waits for it. LinkTiming::level says how the path in between is modelled: at
// message level here, at byte level by a ByteLink (src/byte_link.hpp). Both follow link_protocol.hpp.
//
// Message level: the incoming half starts a message when both sides are ready, times it, and copies it when it has arrived. The
// closed form is re-timed when the other direction starts or ends (t800 facts, e.2). Cost: one Timeline event a message, one
// more for a re-timing that makes it shorter.
//
// At both levels the link takes memory cycles from the processor for each word of a message, at each end. It takes as many as
// an access of the memory that holds the words (e.3). At byte level it takes them with each word, at message level steadily
// while the message is on the wire.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <systemc>
#include <tlm>

#include <hw_model/chronicle.hpp>
#include <hw_model/link_protocol.hpp>
#include <hw_model/processor.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <hw_model/totals.hpp>

namespace hw_model {

class ByteLink;

class LinkEnd : public sc_core::sc_module, private LinkForward, private LinkBackward, private Timeline::Handler {
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

    bool wired() const { return forward_ != nullptr; }  // from the end of elaboration on
    bool sending() const { return out_front_ != nullptr; }
    bool receiving() const;
    // Bytes go out. A message that the other end does not take, or never will, does not count as work.
    bool moving_out() const {
        return !cut_ && out_front_ != nullptr && out_front_->began != SimTime::never() && !out_front_->aborted;
    }
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
    std::optional<vocabulary::Account> on_wire() const {
        const bool busy = out_front_ != nullptr && out_front_->began <= timeline_.now();
        return busy ? std::optional(out_front_->account) : std::nullopt;
    }

    void attach(Chronicle* chronicle, Chronicle::End end) {
        chronicle_ = chronicle;
        end_ = end;
    }

private:
    friend class ByteLink;

    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void b_transport(LinkMessage& message, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(LinkMessage& message, tlm::tlm_dmi& dmi) override;
    unsigned transport_dbg(LinkMessage& message) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    void fire(std::uint32_t what) override;
    void end_of_elaboration() override;
    void offer();
    void first_began();
    void first_arrived();
    void go_on(LinkMessage& message);
    void path_broken();
    void path_joined();
    void forget(const LinkMessage& message);
    void deliver(const LinkMessage& message);
    void note_begin(const LinkMessage& message) {
        if (chronicle_ == nullptr) return;
        const LinkReceive* request = waiting_[static_cast<std::size_t>(message.channel)];
        chronicle_->begins(message, request == nullptr ? nullptr : request->receiver);
    }
    // The share of the processor's time that a direction takes, in 2^-20. `account`: of the message; kept only with a
    // Chronicle, which tells accounts apart.
    struct Theft {
        std::int32_t rate = 0;
        vocabulary::Account account;
    };
    Cycles stolen_by_word(Memory memory) const {
        return memory == Memory::OnChip ? timing_.stolen_on_chip : timing_.stolen_external;
    }
    void steal_word(const LinkMessage& message, Memory memory) {
        if (stolen_by_word(memory).count() > 0) processor_.steal(stolen_by_word(memory), message.account);
    }
    void steal_for(Theft& theft, const LinkMessage* message, Memory memory);
    // Notes the memory of the process that waits for the message, now that it begins.
    void note_memory(const LinkMessage& message) { in_memory_ = waiting_[static_cast<std::size_t>(message.channel)]->memory; }

    void start_if_ready();
    void out_active(bool active);
    void out_rate_changed();
    void stop_sending();
    void stop_receiving(const LinkMessage& message);
    void retime();
    void arrive();
    void answer(LinkMessage& message, const tlm::tlm_phase& what);
    SimTime byte_time() const;
    void arm(SimTime when);

    // The targets of `out` and `in`, once bound: the part of the interface that is called for every message. The way to it
    // through the whole interface touches another of the host's cache lines.
    using Forward = tlm::tlm_fw_nonblocking_transport_if<LinkMessage>;
    using Backward = tlm::tlm_bw_nonblocking_transport_if<LinkMessage>;

    LinkTotals totals_;
    const LinkTiming& timing_;
    SimTime least_byte_;
    SimTime offered_at_;  // when the first of the queue became the first
    LinkMessage* out_back_ = nullptr;
    Chronicle::End end_;

    // The members that each message touches follow together: 128 bytes.
    Forward* forward_ = nullptr;
    Backward* backward_ = nullptr;
    Timeline& timeline_;
    Processor& processor_;
    std::unique_ptr<ByteLink> bytes_;
    Chronicle* chronicle_ = nullptr;
    LinkMessage* out_front_ = nullptr;
    std::array<LinkReceive*, channels> waiting_{};
    std::uint32_t order_;
    bool cut_ = false, broken_ = false;  // broken: between link_broken and link_joined nothing is offered

    // Message level
    bool out_active_ = false, in_active_ = false;
    Memory in_memory_ = Memory::External;  // of the incoming message; at both levels
    LinkMessage* offered_ = nullptr;
    SimTime in_end_, in_armed_ = SimTime::never(), in_updated_;
    std::int64_t in_left_ps_bytes_ = 0;  // bytes still to come, times 2^16, so that a re-timing loses no fraction
    Theft out_theft_, in_theft_;
};

}  // namespace hw_model
