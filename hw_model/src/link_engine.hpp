// LinkEngine: the part of a LinkEnd's inside that both levels share. It has the queue of the outgoing half, the processes that
// wait at the incoming half, the totals, and the rules for a broken path. The engine of a level adds the way of a message over
// the path and its timing. The sockets of the LinkEnd lead straight to it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <tlm>

#include <hw_model/chronicle.hpp>
#include <hw_model/link_protocol.hpp>
#include <hw_model/processor.hpp>
#include <hw_model/timeline.hpp>
#include <hw_model/timing.hpp>
#include <hw_model/totals.hpp>

namespace hw_model {

class LinkEngine : public LinkForward, public LinkBackward, protected Timeline::Handler {
public:
    struct Place {
        std::uint32_t order;  // rank of its events among those of one moment
        const LinkTiming& timing;
        SimTime least_byte;
        Timeline& timeline;
        Processor& processor;
    };

    // The calls of LinkEnd; link_end.hpp documents them.
    void wire(LinkForward* forward, LinkBackward* backward) {  // nullptr: not wired
        forward_ = forward;
        backward_ = backward;
    }
    void send(LinkMessage& message);
    void receive(LinkReceive& request, Channel channel);
    void withdraw(LinkReceive& request, Channel channel);
    void withdraw(LinkMessage& message);
    bool wired() const { return forward_ != nullptr; }
    bool sending() const { return out_front_ != nullptr; }
    virtual bool receiving() const = 0;
    bool moving_out() const {
        return !cut_ && out_front_ != nullptr && out_front_->began != SimTime::never() && !out_front_->aborted;
    }
    bool moving() const { return !cut_ && bytes_come(); }
    void cut();
    void reset();
    void restart();
    LinkTotals totals() const;
    SimTime sending_time() const;
    std::optional<vocabulary::Account> on_wire() const {
        const bool busy = out_front_ != nullptr && out_front_->began <= timeline_.now();
        return busy ? std::optional(out_front_->account) : std::nullopt;
    }
    void attach(Chronicle* chronicle, Chronicle::End end) {
        chronicle_ = chronicle;
        end_ = end;
    }

protected:
    explicit LinkEngine(const Place& place);

    // Outgoing half, of the level
    virtual void start() = 0;  // sends the first message of the queue, from its first byte
    // True when the far end has the whole first message and the sender does not know it yet.
    virtual bool all_taken() const { return false; }
    // The path of the first message breaks. `lost`: it had begun.
    virtual void leave_wire(bool lost) = 0;
    // Incoming half, of the level
    virtual void receiver_waits() = 0;
    virtual bool bytes_come() const = 0;                  // true until the message has arrived
    virtual void forget(const LinkMessage& message) = 0;  // its path broke, or its sender withdrew it
    // Both halves: before something changes from outside. A level that lags behind the Timeline stops doing so.
    virtual void come_to_now() {}
    // Both halves: the node has crashed.
    virtual void stop() = 0;
    // Both halves: the node starts anew. Called before anything else of that.
    virtual void starts_anew() {}
    // A message without a sender has left the queue: it has arrived, or it is lost.
    virtual void gone() {}

    // For the engine of the level
    void first_began();    // the far end begins to take the first message
    void first_arrived();  // the first message has arrived
    void path_broken();
    void path_joined();
    void deliver(const LinkMessage& message);
    bool waited_for(const LinkMessage& message) const { return waiting_[static_cast<std::size_t>(message.channel)] != nullptr; }
    // Records the waiting process and its memory when the message begins.
    void note_begin(const LinkMessage& message);
    Cycles stolen_by_word(Memory memory) const {
        return memory == Memory::OnChip ? timing_.stolen_on_chip : timing_.stolen_external;
    }
    void call_forward(LinkMessage& message, const tlm::tlm_phase& what);
    void call_backward(LinkMessage& message, const tlm::tlm_phase& what);

private:
    void b_transport(LinkMessage& message, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(LinkMessage& message, tlm::tlm_dmi& dmi) override;
    unsigned transport_dbg(LinkMessage& message) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    void offer();
    void go_on(LinkMessage& message);

    LinkTotals totals_;
    SimTime offered_at_;  // when the present first message became first
    LinkMessage* out_back_ = nullptr;
    std::array<LinkReceive*, channels> waiting_{};

    // The targets of `out` and `in`, once bound: the interface called for every message. Going through the socket would touch
    // another of the host's cache lines.
    using Forward = tlm::tlm_fw_nonblocking_transport_if<LinkMessage>;
    using Backward = tlm::tlm_bw_nonblocking_transport_if<LinkMessage>;

protected:
    void count_loss() { ++totals_.lost_on_arrival; }

    const LinkTiming& timing_;
    const SimTime least_byte_;
    Chronicle::End end_;
    // Each message touches the members from here on and those of the level's engine.
    Forward* forward_ = nullptr;
    Backward* backward_ = nullptr;
    Timeline& timeline_;
    Processor& processor_;
    Chronicle* chronicle_ = nullptr;
    LinkMessage* out_front_ = nullptr;  // first of the queue
    const std::uint32_t order_;
    bool cut_ = false, broken_ = false;    // broken: nothing is offered between link_broken and link_joined
    Memory in_memory_ = Memory::External;  // memory for the incoming message
};

}  // namespace hw_model
