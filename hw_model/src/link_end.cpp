#include <hw_model/link_end.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "byte_link.hpp"

namespace hw_model {
namespace {
constexpr std::int64_t fraction = 1 << 16;
constexpr std::int64_t word_bytes = 4;
}  // namespace

LinkEnd::LinkEnd(sc_core::sc_module_name name, std::uint32_t order, const LinkTiming& timing, SimTime least_byte,
                 Timeline& timeline, Processor& processor)
    : sc_module(name),
      out("out"),
      in("in"),
      timing_(timing),
      least_byte_(least_byte),
      timeline_(timeline),
      processor_(processor),
      order_(order) {
    out.bind(static_cast<LinkBackward&>(*this));
    in.bind(static_cast<LinkForward&>(*this));
    if (timing.level == LinkLevel::Byte) bytes_ = std::make_unique<ByteLink>(*this);
}

LinkEnd::~LinkEnd() = default;

void LinkEnd::end_of_elaboration() {
    if (out.size() > 0) forward_ = out.operator->();
    if (in.get_base_port().size() > 0) backward_ = in.operator->();
}

void LinkEnd::send(LinkMessage& message) {
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

void LinkEnd::offer() {
    if (cut_) return;
    LinkMessage& message = *out_front_;
    message.switches = 0;
    message.aborted = false;  // the damage to its first byte is past
    message.unconnected = broken_;
    if (broken_) return;
    if (bytes_) return bytes_->offer();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    forward_->nb_transport_fw(message, phase, delay);
}

void LinkEnd::receive(LinkReceive& request, Channel channel) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(channel)];
    EXPECTS(place == nullptr, "link_end.receive.twice");
    request.received = false;
    place = &request;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->at_link(*request.receiver, end_, timeline_.now());
    if (bytes_) return bytes_->receiver_waits();
    start_if_ready();
}

void LinkEnd::withdraw(LinkReceive& request, Channel channel) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(channel)];
    if (place == &request) place = nullptr;
}

void LinkEnd::withdraw(LinkMessage& message) {
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

bool LinkEnd::receiving() const {
    return bytes_ ? bytes_->receiving() : in_active_;
}

bool LinkEnd::moving() const {
    return !cut_ && (bytes_ ? bytes_->moving() : in_active_ && !offered_->aborted);
}

void LinkEnd::cut() {
    cut_ = true;
    if (out_front_ != nullptr) out_front_->aborted = true;
    if (bytes_) return bytes_->abort();
    if (out_active_) {
        tlm::tlm_phase phase = link_stopped;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        stop_sending();
        forward_->nb_transport_fw(*out_front_, phase, delay);
    }
    if (!in_active_) return;
    offered_->aborted = true;  // its last acknowledge never comes
    answer(*offered_, link_stopped);
    stop_receiving(*offered_);
}

void LinkEnd::reset() {
    path_broken();
    if (backward_ != nullptr) {
        LinkMessage nobody;
        answer(nobody, link_broken);
        answer(nobody, link_joined);
    }
    path_joined();
}

void LinkEnd::restart() {
    waiting_.fill(nullptr);
    if (out_front_ != nullptr) out_front_->next = nullptr;
    out_back_ = out_front_;
    path_broken();
    out_front_ = nullptr;
    reset();
}

LinkTotals LinkEnd::totals() const {
    LinkTotals result = totals_;
    if (out_front_ != nullptr && out_front_->began == SimTime::never() && !cut_)
        result.waiting += timeline_.now() - offered_at_;
    return result;
}

SimTime LinkEnd::sending_time() const {
    const SimTime time = totals_.all().busy;
    return on_wire() && moving_out() ? time + (timeline_.now() - out_front_->began) : time;
}

tlm::tlm_sync_enum LinkEnd::nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        offered_ = &message;
        start_if_ready();
    } else if (phase == link_data) {
        bytes_->take(message, SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        forget(message);
    } else if (phase == link_stopped) {
        stop_receiving(message);
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum LinkEnd::nb_transport_bw(LinkMessage&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        first_began();
        out_active(!out_front_->aborted);  // a fault may have struck it as it began
    } else if (phase == tlm::BEGIN_RESP) {
        out_active(false);
        first_arrived();
    } else if (phase == link_acknowledge) {
        bytes_->acknowledged(SimTime::ps(static_cast<std::int64_t>(delay.value())));
    } else if (phase == link_broken) {
        path_broken();
    } else if (phase == link_joined) {
        path_joined();
    } else if (phase == link_stopped) {
        stop_sending();
    }
    return tlm::TLM_ACCEPTED;
}

// The far end takes the first of the queue.
void LinkEnd::first_began() {
    totals_.waiting += out_front_->began - offered_at_;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->first(*out_front_, offered_at_);
}

// It has arrived.
void LinkEnd::first_arrived() {
    LinkMessage& message = *out_front_;
    LinkTotals::Sums& sums = totals_.of[message.account];
    sums.busy += timeline_.now() - message.began;
    sums.bytes += message.wire_bytes;
    sums.messages += message.messages;
    if (!cut_) go_on(message);
}

// The next of the queue, and the process that sent this one.
void LinkEnd::go_on(LinkMessage& message) {
    out_front_ = message.next;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->sent(message, timeline_.now());
    if (out_front_ != nullptr) {
        offered_at_ = timeline_.now();
        offer();
    }
    message.sent = true;
    if (message.sender == nullptr) return;
    processor_.make_ready(*message.sender);
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->no_reason();
}

// Takes the cycles of the message's words from the processor, evenly, while it is on the wire; nothing for no message.
void LinkEnd::steal_for(Theft& theft, const LinkMessage* message, Memory memory) {
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

// A switch is going to take the way of our messages. The far end must forget the one that it has or waits for.
void LinkEnd::path_broken() {
    broken_ = true;
    if (out_front_ == nullptr) return;
    if (bytes_ && bytes_->all_acknowledged()) {  // the far end has all of it
        bytes_->stop_sending();
        return first_arrived();
    }
    LinkMessage& message = *out_front_;
    message.lost = message.began != SimTime::never();
    if (bytes_) bytes_->stop_sending();
    if (message.lost && !bytes_) out_active(false);
    tlm::tlm_phase phase = link_broken;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    forward_->nb_transport_fw(message, phase, delay);
    if (!message.lost) return;
    ++totals_.lost;
    totals_.of[message.account].busy += timeline_.now() - message.began;
    go_on(message);
}

// The end of a cut joins too, without a break before. That brings back no message whose first byte a fault has lost.
void LinkEnd::path_joined() {
    const bool same_path = !broken_;
    broken_ = false;
    if (out_front_ == nullptr || out_front_->began != SimTime::never() || (same_path && out_front_->aborted)) return;
    offer();
}

void LinkEnd::forget(const LinkMessage& message) {
    if (bytes_) return bytes_->forget(message);
    if (offered_ != &message) return;
    if (in_active_) {
        ++totals_.lost_on_arrival;
        in_active_ = false;
        steal_for(in_theft_, nullptr, in_memory_);
        out_rate_changed();
    }
    offered_ = nullptr;
}

// Our message on the wire goes at another rate, because the other direction has started or ended here. The far end has seen to
// it.
void LinkEnd::out_rate_changed() {
    if (out_active_) steal_for(out_theft_, out_front_, out_front_->memory);
}

void LinkEnd::out_active(bool active) {
    out_active_ = active;
    steal_for(out_theft_, active ? out_front_ : nullptr, out_front_->memory);
    retime();
}

// No more bytes of our message move, though it stays on the wire: the incoming message goes on at the rate of one way.
void LinkEnd::stop_sending() {
    if (out_active_) out_active(false);
}

void LinkEnd::stop_receiving(const LinkMessage& message) {
    if (!in_active_ || offered_ != &message) return;
    steal_for(in_theft_, nullptr, in_memory_);
    out_rate_changed();
}

SimTime LinkEnd::byte_time() const {
    const auto& table = out_active_ ? timing_.byte_both_ways : timing_.byte_one_way;
    return std::max(table[std::min<std::size_t>(offered_->switches, LinkTiming::most_switches)], least_byte_);
}

void LinkEnd::start_if_ready() {
    if (cut_ || in_active_ || offered_ == nullptr || waiting_[static_cast<std::size_t>(offered_->channel)] == nullptr) return;
    in_active_ = true;
    LinkMessage& message = *offered_;
    in_updated_ = timeline_.now() + message.pause;
    in_left_ps_bytes_ = message.wire_bytes * fraction;
    message.began = timeline_.now();
    note_begin(message);
    note_memory(message);
    message.byte_time = byte_time();
    message.due = in_updated_ + message.byte_time * message.wire_bytes;
    answer(message, tlm::END_REQ);
    arm(message.due);
    steal_for(in_theft_, message.aborted ? nullptr : &message, in_memory_);  // a fault may have struck it as it began
    out_rate_changed();
}

// The other direction has started or ended: the rest of the message goes on at the new rate.
void LinkEnd::retime() {
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

void LinkEnd::arm(SimTime when) {
    in_end_ = when;
    if (in_armed_ <= when && in_armed_ >= timeline_.now()) return;  // the armed event comes earlier and will arm again
    in_armed_ = when;
    timeline_.post(when, order_, *this, 0);
}

void LinkEnd::fire(std::uint32_t) {
    if (timeline_.now() != in_armed_) return;  // superseded
    in_armed_ = SimTime::never();
    if (!in_active_ || cut_ || offered_->aborted) return;
    if (timeline_.now() < in_end_) {
        arm(in_end_);
        return;
    }
    arrive();
}

void LinkEnd::arrive() {
    LinkMessage& message = *offered_;
    in_active_ = false;
    offered_ = nullptr;
    steal_for(in_theft_, nullptr, in_memory_);
    deliver(message);
    answer(message, tlm::BEGIN_RESP);
    out_rate_changed();
}

// To the process that waits for it, unless that process was stopped meanwhile.
void LinkEnd::deliver(const LinkMessage& message) {
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

void LinkEnd::answer(LinkMessage& message, const tlm::tlm_phase& what) {
    tlm::tlm_phase phase = what;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    backward_->nb_transport_bw(message, phase, delay);
}

// Links know no blocking transport, no memory and no debug access.
void LinkEnd::b_transport(LinkMessage&, sc_core::sc_time&) {
    SC_REPORT_ERROR("magicwire/link", "a link message has no blocking transport");
}
bool LinkEnd::get_direct_mem_ptr(LinkMessage&, tlm::tlm_dmi&) {
    return false;
}
// A copy of the first message that this end offers or sends; `due` is when it became the first. Returns how many wait in all.
// The call changes nothing.
unsigned LinkEnd::transport_dbg(LinkMessage& message) {
    unsigned count = 0;
    for (const LinkMessage* one = out_front_; one != nullptr; one = one->next) ++count;
    if (count == 0) return 0;
    message = *out_front_;
    message.due = offered_at_;
    return count;
}
void LinkEnd::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace hw_model
