#include "byte_engine.hpp"

#include <algorithm>

namespace hw_model {
namespace {

constexpr std::uint32_t word_bytes = 4;

// The body's bytes come last on the wire. Bytes beyond the wire's modelled length come with the last byte.
struct Layout {
    std::uint32_t body_at, header_bytes, body_bytes;  // on the wire: where the body begins, and how much of each is sent

    explicit Layout(const LinkMessage& message)
        : body_at(message.wire_bytes - std::min(message.wire_bytes, static_cast<std::uint32_t>(message.body.size()))),
          header_bytes(std::min(body_at, static_cast<std::uint32_t>(message.header.size()))),
          body_bytes(message.wire_bytes - body_at) {}
};

std::uint8_t byte_of(const LinkMessage& message, std::uint32_t position) {
    const Layout layout(message);
    if (position >= layout.body_at) return static_cast<std::uint8_t>(message.body[position - layout.body_at]);
    return position < layout.header_bytes ? static_cast<std::uint8_t>(message.header[position]) : 0;
}

// The byte before which the second of two messages that are timed as one is set up.
std::uint32_t second_message_at(const LinkMessage& message) {
    return std::min(Layout(message).body_at, message.wire_bytes - 1);
}

bool ends_a_word(const LinkMessage& message) {
    return message.position % word_bytes == word_bytes - 1 || message.position + 1 == message.wire_bytes;
}

}  // namespace

tlm::tlm_sync_enum ByteEngine::nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == link_data) {
        take(message, SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        forget(message);
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum ByteEngine::nb_transport_bw(LinkMessage&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
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
void ByteEngine::arm(SimTime& armed, SimTime when, What what) {
    armed = when;
    timeline_.post(when, order_, *this, what);
}

void ByteEngine::fire(std::uint32_t what) {
    SimTime& armed = what == SendData ? data_armed_ : what == SendAcknowledge ? acknowledge_armed_ : deliver_armed_;
    if (timeline_.now() != armed) return;
    armed = SimTime::never();
    if (cut_) return;
    switch (what) {
        case SendData:
            return send_data();
        case SendAcknowledge:
            return send_acknowledge();
        default:
            return deliver_whole();
    }
}

void ByteEngine::start() {
    LinkMessage& message = *out_front_;
    message.wire_bytes = std::max(1U, message.wire_bytes);  // it takes a packet to say that there is one
    position_ = 0;
    acknowledged_all_ = false;
    const SimTime set_up = second_message_at(message) == 0 ? message.pause : SimTime();
    arm(data_armed_, std::max(timeline_.now() + set_up, wire_free_), SendData);
}

void ByteEngine::leave_wire(bool) {
    position_ = 0;
    acknowledged_all_ = false;
    data_armed_ = SimTime::never();
}

void ByteEngine::send_data() {
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
    message.switches = 0;
    message.position = position_;
    message.byte = byte_of(message, position_);
    if (position_ % word_bytes == 0) steal_word(message, message.memory);
    ++position_;
    data_began_ = now;
    wire_free_ = now + timing_.data_packet;
    tlm::tlm_phase phase = link_data;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (forward_->nb_transport_fw(message, phase, delay) == tlm::TLM_COMPLETED && message.position == 0)
        message.unconnected = true;
}

void ByteEngine::acknowledged(SimTime delay) {
    const auto& timing = timing_;
    if (out_front_ == nullptr || position_ == 0 || acknowledged_all_ || data_armed_ != SimTime::never()) return;
    const LinkMessage& message = *out_front_;
    if (position_ == 1) first_began();
    acknowledged_all_ = position_ == message.wire_bytes;
    SimTime next = std::max(data_began_ + timing.data_packet, timeline_.now() + delay + timing.turn_round_data);
    if (!acknowledged_all_) {
        if (position_ == second_message_at(message)) next += message.pause;
        next = std::max(next, wire_free_);
    }
    arm(data_armed_, next, SendData);
}

void ByteEngine::take(LinkMessage& message, SimTime delay) {
    if (cut_) return;
    if (message.position == 0 && message_ != nullptr) forget(*message_);  // its sender has given it up
    if (message.position != 0 && (message_ != &message || !begun_)) return;
    message_ = &message;
    seen_ = timeline_.now() + delay;
    delay_ = delay;
    held_ = true;
    acknowledge_when_possible();
}

// A byte is in the buffer, or is coming into it. The end's own adaptor may want more time for each.
void ByteEngine::acknowledge_when_possible() {
    if (!held_ || acknowledge_armed_ != SimTime::never()) return;
    if (!begun_) {
        if (delivering_ || !waited_for(*message_)) return;
        begin();
    }
    const auto& timing = timing_;
    const SimTime least = least_byte_ - timing.turn_round_data - delay_ - delay_;
    const SimTime wanted = seen_ + std::max(timing.turn_round_acknowledge, least);
    arm(acknowledge_armed_, std::max({wanted, wire_free_, timeline_.now()}), SendAcknowledge);
}

void ByteEngine::begin() {
    begun_ = true;
    LinkMessage& message = *message_;
    // As if its first byte had come just in time for the process that waits for it.
    message.began = std::max(seen_, timeline_.now() - timing_.turn_round_acknowledge) - delay_;
    note_begin(message);
    content_.resize(message.header.size() + message.body.size());
    std::copy(message.header.begin(), message.header.end(), content_.begin());
    if (const Layout layout(message); layout.body_bytes < message.body.size())
        std::copy(message.body.begin(), message.body.end(),
                  content_.begin() + static_cast<std::ptrdiff_t>(message.header.size()));
}

void ByteEngine::send_acknowledge() {
    const SimTime now = timeline_.now();
    if (wire_free_ > now) return arm(acknowledge_armed_, wire_free_, SendAcknowledge);
    if (message_->aborted) return;
    wire_free_ = now + timing_.acknowledge_packet;
    held_ = false;
    LinkMessage& message = *message_;
    store();
    tlm::tlm_phase phase = link_acknowledge;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    backward_->nb_transport_bw(message, phase, delay);
}

// Out of the buffer into memory; the last byte wakes the process when it is whole.
void ByteEngine::store() {
    LinkMessage& message = *message_;
    const Layout layout(message);
    if (message.position >= layout.body_at) {
        content_[message.header.size() + message.position - layout.body_at] = static_cast<std::byte>(message.byte);
    } else if (message.position < layout.header_bytes) {
        content_[message.position] = static_cast<std::byte>(message.byte);
    }
    if (ends_a_word(message)) steal_word(message, in_memory_);
    if (message.position + 1 != message.wire_bytes) return;
    whole_ = message;
    whole_.header = std::span(content_).first(message.header.size());
    whole_.body = std::span(content_).subspan(message.header.size());
    message_ = nullptr;
    begun_ = false;
    delivering_ = true;
    const SimTime whole_at = seen_ + std::max(timing_.data_packet, least_byte_ - delay_);
    arm(deliver_armed_, std::max(whole_at, timeline_.now()), Deliver);
}

void ByteEngine::deliver_whole() {
    delivering_ = false;
    deliver(whole_);
    acknowledge_when_possible();  // the first byte of the next message
}

void ByteEngine::forget(const LinkMessage& message) {
    if (message_ != &message) return;
    if (begun_) count_loss();
    message_ = nullptr;
    held_ = begun_ = false;
    acknowledge_armed_ = SimTime::never();
}

}  // namespace hw_model
