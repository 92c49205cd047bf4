#include "stream_message_engine.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace hw_model {

tlm::tlm_sync_enum StreamMessageEngine::nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) {
        offered(message);
    } else if (phase == link_broken) {
        forget(message);
    } else if (phase == link_stopped && offered_ == &message && in_active_) {
        steal_at(in_rate_, false, in_memory_, byte_time_);
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum StreamMessageEngine::nb_transport_bw(LinkMessage&, tlm::tlm_phase& phase, sc_core::sc_time&) {
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
        if (out_active_) out_active(false);
    } else if (phase == link_resumed) {
        out_active(!out_front_->aborted);
    }
    return tlm::TLM_ACCEPTED;
}

void StreamMessageEngine::arm(SimTime& armed, SimTime when, What what) {
    armed = std::max(when, timeline_.now());
    timeline_.post(armed, order_, *this, what);
}

void StreamMessageEngine::fire(std::uint32_t what) {
    const std::array<SimTime*, 3> all{&end_armed_, &transfer_armed_, &whole_armed_};
    if (timeline_.now() != *all[what]) return;  // superseded
    *all[what] = SimTime::never();
    if (cut_) return;
    switch (static_cast<What>(what)) {
        case EndInput:
            move_bytes();
            return end_input();
        case EndTransfer:
            return end_transfer();
        case ByteIsWhole:
            return tell_of_byte();
    }
}

void StreamMessageEngine::offered(LinkMessage& message) {
    offered_ = &message;
    taken_ = 0;
    next_at_ = timeline_.now() + message.pause;
    content_.clear();
    look_for_byte();
    start_if_ready();
}

void StreamMessageEngine::look_for_byte() {
    if (asks_ && offered_ != nullptr && !in_active_ && wanted_ == 0) arm(whole_armed_, byte_whole_at(), ByteIsWhole);
}

void StreamMessageEngine::wants_bytes() {
    asked_at_ = timeline_.now();
    // The last part is whole in memory, and the wire is not yet free for the next byte. That byte's time is known.
    if (in_active_ && part_.ends_input && part_.moved && taken_ < offered_->wire_bytes) end_part();
    start_if_ready();
}

void StreamMessageEngine::start_if_ready() {
    if (cut_ || in_active_ || offered_ == nullptr || wanted_ == 0) return;
    begin_transfer(asked_at_ > next_at_ + delay() + answer());
}

// From the start of a data packet to that of its acknowledge, at this end. The end's own adaptor may want more time for a byte.
SimTime StreamMessageEngine::answer() const {
    return std::max(timing_.turn_round_acknowledge, least_byte_ - timing_.turn_round_data - delay() * 2);
}

// From the start bit of a packet until its byte is whole.
SimTime StreamMessageEngine::whole() const {
    return std::max(timing_.data_packet, least_byte_ - delay());
}

SimTime StreamMessageEngine::byte_time() const {
    const auto& table = out_active_ ? timing_.byte_both_ways : timing_.byte_one_way;
    return std::max(table[std::min<std::size_t>(offered_->switches, LinkTiming::most_switches)], least_byte_);
}

// `late`: the first byte has waited in the buffer, and is acknowledged now.
void StreamMessageEngine::begin_transfer(bool late) {
    LinkMessage& message = *offered_;
    const bool first = taken_ == 0;
    part_ = {taken_, std::min(message.wire_bytes - taken_, wanted_)};
    part_.ends_input = part_.count == wanted_;
    taken_ += part_.count;
    wanted_ -= part_.count;
    in_active_ = true;
    byte_time_ = byte_time();
    began_ = next_at_;
    if (late) {
        const SimTime second = std::max(next_at_ + timing_.data_packet, asked_at_ + delay() + timing_.turn_round_data);
        began_ = second - byte_time_;
    }
    // Its packets and the acknowledges of the other direction begin in each other's way. The mean of random traffic, fitted to
    // byte level.
    if (out_active_) began_ += timing_.acknowledge_packet;
    if (first) message.began = std::max(began_, timeline_.now() - timing_.turn_round_acknowledge);
    call_backward(message, first ? tlm::tlm_phase(tlm::END_REQ) : tlm::tlm_phase(link_resumed));
    if (message.aborted) return;  // a fault struck it as it began
    arm_ends();
    steal_at(in_rate_, true, in_memory_, byte_time_);
    if (out_active_) steal_at(out_rate_, true, out_front_->memory, byte_time_);
}

// When the last byte of the part is whole. A single byte may have been in the buffer.
SimTime StreamMessageEngine::input_ends() const {
    if (part_.count == 1) return std::max(next_at_ + delay() + whole(), asked_at_);
    return began_ + byte_time_ * (part_.count - 1) + delay() + whole();
}

void StreamMessageEngine::arm_ends() {
    if (part_.ends_input && !part_.moved) arm(end_armed_, input_ends(), EndInput);
    arm(transfer_armed_, transfer_ends(), EndTransfer);
    offered_->byte_time = byte_time_;
    offered_->due = transfer_armed_;
}

// The bytes of the part reach the user of the stream.
void StreamMessageEngine::move_bytes() {
    if (part_.moved) return;
    part_.moved = true;
    LinkMessage& message = *offered_;
    if (content_.empty() && (message.damage != nullptr || message.body.size() != message.wire_bytes)) {
        content_.resize(message.wire_bytes);
        for (std::uint32_t i = 0; i < message.wire_bytes; ++i) content_[i] = static_cast<std::byte>(byte_of(message, i));
    }
    if (message.damage != nullptr) {
        const std::size_t head = message.wire_bytes - std::min<std::size_t>(message.wire_bytes, message.body.size());
        message.damage->arrived(message, std::span(content_).first(head), std::span(content_).subspan(head));
        message.damage = nullptr;
    }
    const std::span<const std::byte> all = content_.empty() ? message.body : std::span<const std::byte>(content_);
    user_->give_input(all.subspan(part_.first, part_.count));
}

// The present part is over: the next byte of the message has begun when its acknowledge has come.
void StreamMessageEngine::end_part() {
    move_bytes();
    in_active_ = false;
    next_at_ = transfer_ends();
    transfer_armed_ = SimTime::never();
    steal_at(in_rate_, false, in_memory_, byte_time_);
}

void StreamMessageEngine::end_transfer() {
    if (!in_active_ || offered_->aborted) return;
    LinkMessage& message = *offered_;
    end_part();
    if (taken_ < message.wire_bytes) {
        call_backward(message, link_paused);
        if (!in_active_) look_for_byte();
        return;
    }
    // The last byte may be whole a little later than the sender knows that it was taken: its bytes have moved by now.
    offered_ = nullptr;
    content_.clear();
    call_backward(message, tlm::BEGIN_RESP);
}

void StreamMessageEngine::forget(const LinkMessage& message) {
    if (offered_ != &message) return;
    if (message.began != SimTime::never()) count_loss();
    lose_transfer();
    offered_ = nullptr;
}

// The bytes of the part are lost, and its input waits for others.
void StreamMessageEngine::lose_transfer() {
    if (!in_active_) return;
    in_active_ = false;
    if (inputs_ && !part_.moved) wanted_ += part_.count;
    if (!part_.moved) end_armed_ = SimTime::never();
    transfer_armed_ = SimTime::never();
    steal_at(in_rate_, false, in_memory_, byte_time_);
}

void StreamMessageEngine::drop_byte() {
    // The message has lost bytes, and its sender waits: no more of it is taken.
    end_armed_ = whole_armed_ = SimTime::never();
    if (!in_active_) {
        offered_ = nullptr;
        return;
    }
    in_active_ = false;
    transfer_armed_ = SimTime::never();
    steal_at(in_rate_, false, in_memory_, byte_time_);
    LinkMessage& message = *offered_;
    offered_ = nullptr;
    call_backward(message, link_paused);
}

void StreamMessageEngine::stop() {
    if (out_active_) {
        out_active(false);
        call_forward(*out_front_, link_stopped);
    }
    if (!in_active_) return;
    offered_->aborted = true;  // its last acknowledge never comes
    call_backward(*offered_, link_stopped);
    steal_at(in_rate_, false, in_memory_, byte_time_);
}

// Takes the cycles of a word from the processor over the time of its bytes.
void StreamMessageEngine::steal_at(std::int64_t& rate, bool active, Memory memory, SimTime byte) {
    std::int64_t now = 0;
    if (active && byte > SimTime()) {
        const std::int64_t word = stolen_by_word(memory).count() * processor_.cycle().in_ps();
        now = std::min<std::int64_t>((word << 20) / (byte * word_bytes).in_ps(), 1 << 20);
    }
    if (now == rate) return;
    processor_.steal_at_rate(now - rate);
    rate = now;
}

void StreamMessageEngine::out_active(bool active) {
    out_active_ = active;
    const SimTime byte = (active ? timing_.byte_both_ways : timing_.byte_one_way)[0];
    steal_at(out_rate_, active, out_front_->memory, in_active_ ? byte : timing_.byte_one_way[0]);
    retime();
}

// The other direction has started or ended: the rest of the part goes on at the new rate.
void StreamMessageEngine::retime() {
    if (!in_active_ || cut_ || offered_->aborted) return;
    const SimTime now = timeline_.now(), next = byte_time();
    if (next == byte_time_) return;
    if (now > began_) {
        __extension__ typedef __int128 Wide;
        const Wide passed = (now - began_).in_ps();
        began_ = now - SimTime::ps(static_cast<std::int64_t>(passed * next.in_ps() / byte_time_.in_ps()));
    }
    byte_time_ = next;
    arm_ends();
    steal_at(in_rate_, true, in_memory_, byte_time_);
}

// A transfer can only become faster when the other direction ends.
SimTime StreamMessageEngine::at_best(SimTime end, SimTime byte) const {
    const SimTime now = timeline_.now();
    if (end <= now || byte <= timing_.byte_one_way[0]) return end;
    return now + SimTime::ps((end - now).in_ps() / byte.in_ps() * timing_.byte_one_way[0].in_ps());
}

SimTime StreamMessageEngine::output_end(SimTime others) const {
    if (out_front_ == nullptr) return others;
    const LinkMessage& message = *out_front_;
    if (message.began == SimTime::never()) return others + timing_.turn_round_data;
    return std::max(others, at_best(message.due, message.byte_time));
}

SimTime StreamMessageEngine::input_end(SimTime others) const {
    if (end_armed_ != SimTime::never()) return at_best(end_armed_, byte_time_);
    if (offered_ != nullptr) return in_active_ ? std::max(others, at_best(transfer_armed_, byte_time_)) : others;
    return others + timing_.data_packet * wanted_;
}

SimTime StreamMessageEngine::byte_end(SimTime others) const {
    return whole_armed_ != SimTime::never() ? whole_armed_ : others + timing_.data_packet;
}

}  // namespace hw_model
