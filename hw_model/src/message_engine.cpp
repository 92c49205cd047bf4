#include "message_engine.hpp"

#include <algorithm>
#include <utility>

namespace hw_model {
namespace {
constexpr std::int64_t fraction = 1 << 16;
constexpr std::int64_t word_bytes = 4;
}  // namespace

tlm::tlm_sync_enum MessageEngine::nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) {
        offered_ = &message;
        start_if_ready();
    } else if (phase == link_broken) {
        forget(message);
    } else if (phase == link_stopped) {
        stop_receiving(message);
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum MessageEngine::nb_transport_bw(LinkMessage&, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) {
        first_began();
        out_active(!out_front_->aborted);  // a fault may have struck it as it began
    } else if (phase == tlm::BEGIN_RESP) {
        out_active(false);
        first_arrived();
    } else if (phase == link_broken) {
        path_broken();
    } else if (phase == link_joined) {
        path_joined();
    } else if (phase == link_stopped || phase == link_paused) {
        stop_sending();
    } else if (phase == link_resumed) {
        out_active(!out_front_->aborted);
    }
    return tlm::TLM_ACCEPTED;
}

void MessageEngine::start() {
    call_forward(*out_front_, tlm::BEGIN_REQ);
}

void MessageEngine::leave_wire(bool lost) {
    if (lost) out_active(false);
}

void MessageEngine::stop() {
    if (out_active_) {
        stop_sending();
        call_forward(*out_front_, link_stopped);
    }
    if (!in_active_) return;
    offered_->aborted = true;  // its last acknowledge never comes
    call_backward(*offered_, link_stopped);
    stop_receiving(*offered_);
}

// Takes the cycles of the message's words from the processor, evenly, while it is on the wire; nothing for no message.
void MessageEngine::steal_for(Theft& theft, const LinkMessage* message, Memory memory) {
    std::int64_t rate = 0;
    if (message != nullptr) {
        const std::int64_t word = stolen_by_word(memory).count() * processor_.cycle().in_ps();
        // At its beginning: all words over all of its time, including the pause in it. Later, and for very long messages: one
        // word over the time of four bytes.
        const bool begins = message->began == timeline_.now() && message->wire_bytes < (1 << 20);
        const std::int64_t words = begins ? (message->wire_bytes + word_bytes - 1) / word_bytes : 1;
        const SimTime lasts = begins ? message->due - message->began : message->byte_time * word_bytes;
        rate = lasts > SimTime() ? std::min<std::int64_t>((words * word << 20) / lasts.in_ps(), 1 << 20) : 0;
    }
    processor_.steal_at_rate(rate - theft.rate);
    const std::int64_t before = std::exchange(theft.rate, static_cast<std::int32_t>(rate));
    if (chronicle_ == nullptr) [[likely]]
        return;
    chronicle_->steals_at_rate(end_.node, theft.account, -before);
    if (message != nullptr) theft.account = message->account;
    chronicle_->steals_at_rate(end_.node, theft.account, rate);
}

void MessageEngine::forget(const LinkMessage& message) {
    if (offered_ != &message) return;
    if (in_active_) {
        count_loss();
        in_active_ = false;
        steal_for(in_theft_, nullptr, in_memory_);
        out_rate_changed();
    }
    offered_ = nullptr;
}

// Our message on the wire changes its rate, because the other direction has started or ended here. The far end has re-timed it.
void MessageEngine::out_rate_changed() {
    if (out_active_) steal_for(out_theft_, out_front_, out_front_->memory);
}

void MessageEngine::out_active(bool active) {
    out_active_ = active;
    steal_for(out_theft_, active ? out_front_ : nullptr, out_front_->memory);
    retime();
}

// The bytes of our message no longer move, though it stays on the wire: the incoming message goes on at the one-way rate.
void MessageEngine::stop_sending() {
    if (out_active_) out_active(false);
}

void MessageEngine::stop_receiving(const LinkMessage& message) {
    if (!in_active_ || offered_ != &message) return;
    steal_for(in_theft_, nullptr, in_memory_);
    out_rate_changed();
}

SimTime MessageEngine::byte_time() const {
    const auto& table = out_active_ ? timing_.byte_both_ways : timing_.byte_one_way;
    return std::max(table[std::min<std::size_t>(offered_->switches, LinkTiming::most_switches)], least_byte_);
}

void MessageEngine::start_if_ready() {
    if (cut_ || in_active_ || offered_ == nullptr || !waited_for(*offered_)) return;
    in_active_ = true;
    LinkMessage& message = *offered_;
    in_updated_ = timeline_.now() + message.pause;
    in_left_ps_bytes_ = message.wire_bytes * fraction;
    message.began = timeline_.now();
    note_begin(message);
    message.byte_time = byte_time();
    message.due = in_updated_ + message.byte_time * message.wire_bytes;
    call_backward(message, tlm::END_REQ);
    arm(message.due);
    steal_for(in_theft_, message.aborted ? nullptr : &message, in_memory_);  // a fault may have struck it as it began
    out_rate_changed();
}

// The other direction has started or ended: the rest of the message goes on at the new rate.
void MessageEngine::retime() {
    if (!in_active_ || cut_ || offered_->aborted) return;
    LinkMessage& message = *offered_;
    const SimTime now = timeline_.now();
    const std::int64_t passed = std::max<std::int64_t>(0, (now - in_updated_).in_ps());  // nothing during the pause
    in_left_ps_bytes_ = std::max<std::int64_t>(0, in_left_ps_bytes_ - passed * fraction / message.byte_time.in_ps());
    in_updated_ = std::max(now, in_updated_);
    message.byte_time = byte_time();
    message.due = in_updated_ + SimTime::ps(in_left_ps_bytes_ * message.byte_time.in_ps() / fraction);
    arm(message.due);
    steal_for(in_theft_, &message, in_memory_);
}

void MessageEngine::arm(SimTime when) {
    in_end_ = when;
    if (in_armed_ <= when && in_armed_ >= timeline_.now()) return;  // the armed event comes earlier and will arm again
    in_armed_ = when;
    timeline_.post(when, order_, *this, 0);
}

void MessageEngine::fire(std::uint32_t) {
    if (timeline_.now() != in_armed_) return;  // superseded
    in_armed_ = SimTime::never();
    if (!in_active_ || cut_ || offered_->aborted) return;
    if (timeline_.now() < in_end_) {
        arm(in_end_);
        return;
    }
    arrive();
}

void MessageEngine::arrive() {
    LinkMessage& message = *offered_;
    in_active_ = false;
    offered_ = nullptr;
    steal_for(in_theft_, nullptr, in_memory_);
    deliver(message);
    call_backward(message, tlm::BEGIN_RESP);
    out_rate_changed();
}

}  // namespace hw_model
