#include "link_engine.hpp"

#include <algorithm>
#include <cstring>

#include <vocabulary/contract.hpp>

namespace hw_model {

LinkEngine::LinkEngine(const Place& place)
    : timing_(place.timing),
      least_byte_(place.least_byte),
      timeline_(place.timeline),
      processor_(place.processor),
      order_(place.order) {}

void LinkEngine::send(LinkMessage& message) {
    EXPECTS(wired(), "link_end.send.unwired");
    message.next = nullptr;
    message.sent = message.lost = message.aborted = false;
    message.began = SimTime::never();
    message.damage = nullptr;
    (out_front_ == nullptr ? out_front_ : out_back_->next) = &message;
    out_back_ = &message;
    if (chronicle_ != nullptr && message.sender != nullptr) [[unlikely]]
        chronicle_->at_link(*message.sender, end_, timeline_.now());
    if (out_front_ != &message) return;
    offered_at_ = timeline_.now();
    offer();
}

void LinkEngine::offer() {
    if (cut_) return;
    LinkMessage& message = *out_front_;
    message.switches = 0;
    message.aborted = false;  // the damage to its first byte is past
    message.unconnected = broken_;
    if (broken_) return;
    start();
}

void LinkEngine::receive(LinkReceive& request, Channel channel) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(channel)];
    EXPECTS(place == nullptr, "link_end.receive.twice");
    request.received = false;
    place = &request;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->at_link(*request.receiver, end_, timeline_.now());
    receiver_waits();
}

void LinkEngine::withdraw(LinkReceive& request, Channel channel) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(channel)];
    if (place == &request) place = nullptr;
}

void LinkEngine::withdraw(LinkMessage& message) {
    if (message.sent || out_front_ == nullptr) return;
    if (out_front_ == &message) {
        const bool broken = broken_;
        path_broken();  // takes it out of the queue when it had begun
        broken_ = broken;
        if (out_front_ == &message) out_front_ = message.next;
        if (out_front_ == nullptr) return;
        offered_at_ = timeline_.now();
        return offer();
    }
    LinkMessage* before = out_front_;
    while (before->next != nullptr && before->next != &message) before = before->next;
    if (before->next == nullptr) return;
    before->next = message.next;
    if (out_back_ == &message) out_back_ = before;
}

void LinkEngine::cut() {
    come_to_now();
    cut_ = true;
    if (out_front_ != nullptr) out_front_->aborted = true;
    stop();
}

void LinkEngine::reset() {
    path_broken();
    if (backward_ != nullptr) {
        LinkMessage nobody;
        call_backward(nobody, link_broken);
        call_backward(nobody, link_joined);
    }
    path_joined();
}

void LinkEngine::restart() {
    starts_anew();
    waiting_.fill(nullptr);
    if (out_front_ != nullptr) out_front_->next = nullptr;
    out_back_ = out_front_;
    path_broken();
    out_front_ = nullptr;
    reset();
}

LinkTotals LinkEngine::totals() const {
    LinkTotals result = totals_;
    if (out_front_ != nullptr && out_front_->began == SimTime::never() && !cut_)
        result.waiting += timeline_.now() - offered_at_;
    return result;
}

SimTime LinkEngine::sending_time() const {
    const SimTime time = totals_.all().busy;
    return on_wire() && moving_out() ? time + (timeline_.now() - out_front_->began) : time;
}

// The far end takes the first of the queue.
void LinkEngine::first_began() {
    totals_.waiting += out_front_->began - offered_at_;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->first(*out_front_, offered_at_);
}

// It has arrived.
void LinkEngine::first_arrived() {
    LinkMessage& message = *out_front_;
    LinkTotals::Sums& sums = totals_.of[message.account];
    sums.busy += timeline_.now() - message.began;
    sums.bytes += message.wire_bytes;
    sums.messages += message.messages;
    if (!cut_) go_on(message);
}

// The next of the queue, and the process that sent this one.
void LinkEngine::go_on(LinkMessage& message) {
    out_front_ = message.next;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->sent(message, timeline_.now());
    if (out_front_ != nullptr) {
        offered_at_ = timeline_.now();
        offer();
    }
    message.sent = true;
    if (message.sender == nullptr) return gone();
    processor_.make_ready(*message.sender);
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->no_reason();
}

// A switch is about to remove the path of our messages. The far end must forget the one that it has or waits for.
void LinkEngine::path_broken() {
    broken_ = true;
    if (out_front_ == nullptr) return;
    if (all_taken()) {
        leave_wire(false);
        return first_arrived();
    }
    LinkMessage& message = *out_front_;
    message.lost = message.began != SimTime::never();
    leave_wire(message.lost);
    call_forward(message, link_broken);
    if (!message.lost) return;
    ++totals_.lost;
    totals_.of[message.account].busy += timeline_.now() - message.began;
    go_on(message);
}

// The end of a cut joins too, without a break before. That brings back no message whose first byte a fault has lost.
void LinkEngine::path_joined() {
    const bool same_path = !broken_;
    broken_ = false;
    if (out_front_ == nullptr || out_front_->began != SimTime::never() || (same_path && out_front_->aborted)) return;
    offer();
}

void LinkEngine::note_begin(const LinkMessage& message) {
    const LinkReceive* request = waiting_[static_cast<std::size_t>(message.channel)];
    in_memory_ = request->memory;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->begins(message, request->receiver);
}

// To the process that waits for it, unless that process was stopped meanwhile.
void LinkEngine::deliver(const LinkMessage& message) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(message.channel)];
    if (place == nullptr) return;
    LinkReceive& request = *place;
    place = nullptr;
    if (request.any_body != nullptr) {
        request.any_body->assign(message.body.begin(), message.body.end());
    } else {
        const std::size_t fits = std::min(message.body.size(), request.body.size());
        if (fits > 0) std::memcpy(request.body.data(), message.body.data(), fits);
    }
    const std::size_t head = std::min(message.header.size(), request.header.size());
    if (head > 0) std::memcpy(request.header.data(), message.header.data(), head);
    if (message.damage != nullptr) {
        const std::span body = request.any_body != nullptr ? std::span(*request.any_body) : request.body;
        message.damage->arrived(message, request.header.first(head), body.first(std::min(message.body.size(), body.size())));
    }
    request.messages = message.messages;
    request.header_bytes = static_cast<std::uint32_t>(message.header.size());
    request.body_bytes = static_cast<std::uint32_t>(message.body.size());
    request.account = message.account;
    request.received = true;
    request.arrived = timeline_.now();
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->arrived(message, timeline_.now(), *request.receiver);
    processor_.make_ready(*request.receiver);
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->no_reason();
}

void LinkEngine::call_forward(LinkMessage& message, const tlm::tlm_phase& what) {
    tlm::tlm_phase phase = what;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    forward_->nb_transport_fw(message, phase, delay);
}

void LinkEngine::call_backward(LinkMessage& message, const tlm::tlm_phase& what) {
    tlm::tlm_phase phase = what;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    backward_->nb_transport_bw(message, phase, delay);
}

// Links know no blocking transport, no memory and no debug access.
void LinkEngine::b_transport(LinkMessage&, sc_core::sc_time&) {
    SC_REPORT_ERROR("magicwire/link", "a link message has no blocking transport");
}
bool LinkEngine::get_direct_mem_ptr(LinkMessage&, tlm::tlm_dmi&) {
    return false;
}
// A copy of the first message that this end offers or sends; `due` is when it became the first. Returns how many wait in all.
// The call changes nothing.
unsigned LinkEngine::transport_dbg(LinkMessage& message) {
    come_to_now();
    unsigned count = 0;
    for (const LinkMessage* one = out_front_; one != nullptr; one = one->next) ++count;
    if (count == 0) return 0;
    message = *out_front_;
    message.due = offered_at_;
    return count;
}
void LinkEngine::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace hw_model
