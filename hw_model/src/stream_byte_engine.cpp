#include "stream_byte_engine.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hw_model {

tlm::tlm_sync_enum StreamByteEngine::nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == link_data) {
        take(message, SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        forget(message);
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum StreamByteEngine::nb_transport_bw(LinkMessage&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == link_acknowledge) {
        acknowledged(SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        path_broken();
    } else if (phase == link_joined) {
        path_joined();
    }
    return tlm::TLM_ACCEPTED;
}

// An event that is superseded fires at its old time and finds that another is armed.
void StreamByteEngine::arm(SimTime& armed, SimTime when, What what) {
    armed = when;
    timeline_.post(when, order_, *this, what);
}

void StreamByteEngine::fire(std::uint32_t what) {
    const std::array<SimTime*, 4> all{&data_armed_, &acknowledge_armed_, &end_armed_, &whole_armed_};
    if (timeline_.now() != *all[what]) return;
    *all[what] = SimTime::never();
    if (cut_) return;
    switch (static_cast<What>(what)) {
        case SendData:
            return send_data();
        case SendAcknowledge:
            return send_acknowledge();
        case EndInput:
            return end_input();
        case ByteIsWhole:
            return tell_of_byte();
    }
}

void StreamByteEngine::start() {
    position_ = 0;
    acknowledged_all_ = false;
    arm(data_armed_, std::max(timeline_.now(), wire_free_), SendData);
}

void StreamByteEngine::leave_wire(bool) {
    position_ = 0;
    acknowledged_all_ = false;
    data_armed_ = SimTime::never();
}

void StreamByteEngine::steal_word(const LinkMessage& message, Memory memory) {
    if (stolen_by_word(memory).count() > 0) processor_.steal(stolen_by_word(memory), message.account);
}

void StreamByteEngine::send_data() {
    const SimTime now = timeline_.now();
    if (acknowledged_all_) {
        leave_wire(false);
        first_arrived();
        return;
    }
    if (acknowledge_armed_ == now) {  // it goes first
        acknowledge_armed_ = SimTime::never();
        send_acknowledge();
    }
    if (wire_free_ > now) return arm(data_armed_, wire_free_, SendData);
    LinkMessage& message = *out_front_;
    message.position = position_;
    message.byte = byte_of(message, position_);
    if (position_ % word_bytes == 0) steal_word(message, message.memory);
    ++position_;
    data_began_ = now;
    wire_free_ = now + timing_.data_packet;
    tlm::tlm_phase phase = link_data;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const bool passes = forward_->nb_transport_fw(message, phase, delay) != tlm::TLM_COMPLETED;
    message.switches = delay > sc_core::SC_ZERO_TIME ? 1 : 0;
    if (!passes && message.position == 0) message.unconnected = true;
}

void StreamByteEngine::acknowledged(SimTime delay) {
    if (out_front_ == nullptr || position_ == 0 || acknowledged_all_ || data_armed_ != SimTime::never()) return;
    if (position_ == 1) first_began();
    acknowledged_all_ = position_ == out_front_->wire_bytes;
    SimTime next = std::max(data_began_ + timing_.data_packet, timeline_.now() + delay + timing_.turn_round_data);
    if (!acknowledged_all_) next = std::max(next, wire_free_);
    arm(data_armed_, next, SendData);
}

void StreamByteEngine::take(LinkMessage& message, SimTime delay) {
    if (cut_) return;
    if (message.position == 0 && message_ != nullptr && message_ != &message) forget(*message_);  // its sender has given it up
    if (message.position != 0 && message_ != &message) return;
    message_ = &message;
    seen_ = timeline_.now() + delay;
    delay_ = delay;
    byte_ = message.byte;
    held_ = true;
    acknowledge_when_possible();
    look_for_byte();
}

void StreamByteEngine::look_for_byte() {
    if (asks_ && held_ && wanted_ == 0) arm(whole_armed_, std::max(timeline_.now(), seen_ + timing_.data_packet), ByteIsWhole);
}

// A byte is in the buffer, or is coming into it. The end's own adaptor may want more time for each.
void StreamByteEngine::acknowledge_when_possible() {
    if (!held_ || wanted_ == 0 || acknowledge_armed_ != SimTime::never()) return;
    const SimTime least = least_byte_ - timing_.turn_round_data - delay_ - delay_;
    const SimTime wanted = seen_ + std::max(timing_.turn_round_acknowledge, least);
    arm(acknowledge_armed_, std::max({wanted, wire_free_, timeline_.now()}), SendAcknowledge);
}

void StreamByteEngine::send_acknowledge() {
    const SimTime now = timeline_.now();
    if (wire_free_ > now) return arm(acknowledge_armed_, wire_free_, SendAcknowledge);
    if (!held_ || wanted_ == 0 || message_->aborted) return;
    wire_free_ = now + timing_.acknowledge_packet;
    LinkMessage& message = *message_;
    if (message.position == 0) message.began = std::max(seen_, now - timing_.turn_round_acknowledge) - delay_;
    store();
    tlm::tlm_phase phase = link_acknowledge;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    backward_->nb_transport_bw(message, phase, delay);
}

// Out of the buffer into memory. The last byte wakes the process when it is whole.
void StreamByteEngine::store() {
    const LinkMessage& message = *message_;
    held_ = false;
    --wanted_;
    const auto byte = static_cast<std::byte>(byte_);
    user_->give_input(std::span(&byte, 1));
    if (++in_words_ == word_bytes || wanted_ == 0) {
        steal_word(message, in_memory_);
        in_words_ = 0;
    }
    if (message.position + 1 == message.wire_bytes) message_ = nullptr;
    if (wanted_ > 0) return;
    const SimTime whole_at = seen_ + std::max(timing_.data_packet, least_byte_ - delay_);
    arm(end_armed_, std::max(whole_at, timeline_.now()), EndInput);
}

void StreamByteEngine::forget(const LinkMessage& message) {
    if (message_ != &message) return;
    if (message.began != SimTime::never()) count_loss();
    message_ = nullptr;
    held_ = false;
    acknowledge_armed_ = SimTime::never();
}

void StreamByteEngine::drop_byte() {
    held_ = false;
    acknowledge_armed_ = end_armed_ = SimTime::never();
}

// Each byte that is left takes a packet at least. The next one follows an acknowledge that is still to come, or begins when it
// is armed.
SimTime StreamByteEngine::output_end(SimTime others) const {
    if (acknowledged_all_) return data_armed_;
    const std::uint32_t left = out_front_ == nullptr ? 0 : out_front_->wire_bytes - std::min(position_, out_front_->wire_bytes);
    const SimTime turn_round = data_armed_ == SimTime::never() ? timing_.turn_round_data : SimTime();
    return others + turn_round + timing_.data_packet * left;
}

SimTime StreamByteEngine::input_end(SimTime others) const {
    if (wanted_ == 0) return end_armed_;
    return others + timing_.data_packet * (held_ ? std::int64_t{wanted_} - 1 : std::int64_t{wanted_});
}

SimTime StreamByteEngine::byte_end(SimTime others) const {
    return whole_armed_ != SimTime::never() ? whole_armed_ : others + timing_.data_packet;
}

}  // namespace hw_model
