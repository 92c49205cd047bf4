#include "byte_engine.hpp"

#include <algorithm>

#include "byte_layout.hpp"
#include "byte_run.hpp"

namespace hw_model {
namespace {

bool ends_a_word(const LinkMessage& message) {
    return message.position % word_bytes == word_bytes - 1 || message.position + 1 == message.wire_bytes;
}

}  // namespace

ByteEngine::ByteEngine(const Place& place) : LinkEngine(place) {
    processor_.add_thief(*this);
}

ByteEngine::~ByteEngine() = default;

tlm::tlm_sync_enum ByteEngine::nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    end_run();
    if (phase == link_data) {
        take(message, SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        forget(message);
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum ByteEngine::nb_transport_bw(LinkMessage&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    end_run();
    if (phase == link_acknowledge) {
        acknowledged(SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        path_broken();
    } else if (phase == link_joined) {
        path_joined();
    }
    return tlm::TLM_ACCEPTED;
}

SimTime ByteEngine::now() const {
    return run_ == nullptr ? timeline_.now() : run_->now();
}

void ByteEngine::catch_up() {
    if (run_ != nullptr) run_->catch_up();
}

void ByteEngine::end_run() {
    if (run_ != nullptr) run_->end();
}

// An event that is superseded fires at its old time and finds that another is armed.
void ByteEngine::arm(Armed& armed, SimTime when, What what) {
    armed.at = when;
    if (run_ != nullptr) return run_->arm(armed);
    timeline_.post(when, order_, *this, what);
    armed.posted = true;
    armed.number = timeline_.last_number();
}

void ByteEngine::fire(std::uint32_t what) {
    if (what == Deliver) {
        if (timeline_.now() != deliver_armed_) return;
        deliver_armed_ = SimTime::never();
        if (!cut_) deliver_whole();
        return;
    }
    Armed& armed = what == SendData ? data_ : acknowledge_;
    if (run_ != nullptr || timeline_.now() != armed.at) return;  // a run comes to it by itself
    armed.at = SimTime::never();
    if (cut_) return;
    if (what == SendData) {
        send_data();
    } else {
        send_acknowledge();
    }
}

void ByteEngine::start() {
    end_run();
    LinkMessage& message = *out_front_;
    message.watched = false;
    message.taker = nullptr;
    message.wire_bytes = std::max(1U, message.wire_bytes);  // it takes a packet to say that there is one
    position_ = 0;
    acknowledged_all_ = false;
    const SimTime set_up = second_message_at(message) == 0 ? message.pause : SimTime();
    arm(data_, std::max(timeline_.now() + set_up, wire_free_), SendData);
}

void ByteEngine::leave_wire(bool) {
    end_run();
    position_ = 0;
    acknowledged_all_ = false;
    data_.at = SimTime::never();
}

void ByteEngine::send_data() {
    const SimTime now = this->now();
    if (acknowledged_all_) {
        leave_wire(false);
        first_arrived();
        return;
    }
    if (acknowledge_.at == now) {  // it goes first
        acknowledge_.at = SimTime::never();
        send_acknowledge();
    }
    if (wire_free_ > now) return arm(data_, wire_free_, SendData);
    LinkMessage& message = *out_front_;
    message.switches = 0;
    message.position = position_;
    message.byte = byte_of(message, position_);
    if (position_ % word_bytes == 0) steal_word(message, message.memory);
    ++position_;
    data_began_ = now;
    wire_free_ = now + timing_.data_packet;
    if (run_ != nullptr) {
        ByteEngine& far = run_->other(*this);
        return far.take(message, far.delay_);
    }
    tlm::tlm_phase phase = link_data;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const bool passes = forward_->nb_transport_fw(message, phase, delay) != tlm::TLM_COMPLETED;
    if (!passes && message.position == 0) message.unconnected = true;
    if (message.position > 0) return ByteRun::begin_if_possible(*this);
    far_ = static_cast<ByteEngine*>(message.taker);
    if (far_ == nullptr) return;
    far_->far_ = this;
    ByteRun::end_beside(*this, *far_);
}

void ByteEngine::acknowledged(SimTime delay) {
    const auto& timing = timing_;
    if (out_front_ == nullptr || position_ == 0 || acknowledged_all_ || data_.at != SimTime::never()) return;
    const LinkMessage& message = *out_front_;
    if (position_ == 1) first_began();
    acknowledged_all_ = position_ == message.wire_bytes;
    SimTime next = std::max(data_began_ + timing.data_packet, now() + delay + timing.turn_round_data);
    if (!acknowledged_all_) {
        if (position_ == second_message_at(message)) next += message.pause;
        next = std::max(next, wire_free_);
    }
    arm(data_, next, SendData);
}

void ByteEngine::take(LinkMessage& message, SimTime delay) {
    if (cut_) return;
    if (message.position == 0 && message_ != nullptr) forget(*message_);  // its sender has given it up
    if (message.position != 0 && (message_ != &message || !begun_)) return;
    message.taker = this;
    message_ = &message;
    seen_ = now() + delay;
    delay_ = delay;
    held_ = true;
    acknowledge_when_possible();
}

// A byte is in the buffer, or is coming into it. The end's own adaptor may want more time for each.
void ByteEngine::acknowledge_when_possible() {
    if (!held_ || acknowledge_.at != SimTime::never()) return;
    if (!begun_) {
        if (delivering_ || !waited_for(*message_)) return;
        end_run();
        begin();
    }
    const auto& timing = timing_;
    const SimTime least = least_byte_ - timing.turn_round_data - delay_ - delay_;
    const SimTime wanted = seen_ + std::max(timing.turn_round_acknowledge, least);
    arm(acknowledge_, std::max({wanted, wire_free_, now()}), SendAcknowledge);
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
    const SimTime now = this->now();
    if (wire_free_ > now) return arm(acknowledge_, wire_free_, SendAcknowledge);
    if (message_->aborted) return;
    wire_free_ = now + timing_.acknowledge_packet;
    held_ = false;
    LinkMessage& message = *message_;
    store();
    if (run_ != nullptr) return run_->other(*this).acknowledged(delay_);
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
    deliver_armed_ = std::max(whole_at, timeline_.now());
    timeline_.post(deliver_armed_, order_, *this, Deliver);
}

void ByteEngine::deliver_whole() {
    delivering_ = false;
    deliver(whole_);
    acknowledge_when_possible();  // the first byte of the next message
}

void ByteEngine::forget(const LinkMessage& message) {
    if (message_ != &message) return;
    end_run();
    if (begun_) count_loss();
    message_ = nullptr;
    held_ = begun_ = false;
    acknowledge_.at = SimTime::never();
}

}  // namespace hw_model
