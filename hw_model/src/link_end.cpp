#include <hw_model/link_end.hpp>

#include <algorithm>
#include <cstring>

namespace hw_model {
namespace {
constexpr std::int64_t fraction = 1 << 16;
}

LinkEnd::LinkEnd(sc_core::sc_module_name name, std::uint32_t order, const LinkTiming& timing, SimTime least_byte,
                 Timeline& timeline, Processor& processor)
    : sc_module(name),
      out("out"),
      in("in"),
      timeline_(timeline),
      processor_(processor),
      order_(order),
      timing_(timing),
      least_byte_(least_byte) {
    out.bind(static_cast<LinkBackward&>(*this));
    in.bind(static_cast<LinkForward&>(*this));
}

void LinkEnd::end_of_elaboration() {
    if (out.size() > 0) forward_ = out.operator->();
    if (in.get_base_port().size() > 0) backward_ = in.operator->();
}

void LinkEnd::send(LinkMessage& message) {
    EXPECTS(wired(), "link_end.send.unwired");
    message.next = nullptr;
    message.sent = false;
    message.switches = 0;
    message.unconnected = false;
    (out_front_ == nullptr ? out_front_ : out_back_->next) = &message;
    out_back_ = &message;
    if (out_front_ == &message) offer();
}

void LinkEnd::offer() {
    if (cut_) return;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    forward_->nb_transport_fw(*out_front_, phase, delay);
}

void LinkEnd::receive(LinkReceive& request, Channel channel) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(channel)];
    EXPECTS(place == nullptr, "link_end.receive.twice");
    request.received = false;
    place = &request;
    start_if_ready();
}

void LinkEnd::cut() {
    cut_ = true;
    if (out_front_ != nullptr) out_front_->aborted = true;
    if (in_active_) offered_->aborted = true;  // its last acknowledge never comes
}

void LinkEnd::withdraw(LinkReceive& request, Channel channel) {
    LinkReceive*& place = waiting_[static_cast<std::size_t>(channel)];
    if (place == &request) place = nullptr;
}

tlm::tlm_sync_enum LinkEnd::nb_transport_fw(LinkMessage& message, tlm::tlm_phase&, sc_core::sc_time&) {
    offered_ = &message;
    start_if_ready();
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum LinkEnd::nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) {
        out_active_ = true;
        out_began_ = timeline_.now();
        retime();
        return tlm::TLM_ACCEPTED;
    }
    out_active_ = false;
    const auto kind = static_cast<std::size_t>(message.traffic);
    totals_.busy[kind] += timeline_.now() - out_began_;
    totals_.bytes[kind] += message.wire_bytes;
    totals_.messages[kind] += message.messages;
    retime();
    if (cut_) return tlm::TLM_COMPLETED;
    out_front_ = message.next;
    if (out_front_ != nullptr) offer();
    message.sent = true;
    if (message.sender != nullptr) processor_.make_ready(*message.sender);
    return tlm::TLM_COMPLETED;
}

std::int64_t LinkEnd::byte_ps() const {
    const auto& table = out_active_ ? timing_.byte_both_ways : timing_.byte_one_way;
    return std::max(table[std::min<std::size_t>(offered_->switches, LinkTiming::most_switches)], least_byte_).in_ps();
}

void LinkEnd::start_if_ready() {
    if (cut_ || in_active_ || offered_ == nullptr || waiting_[static_cast<std::size_t>(offered_->channel)] == nullptr) return;
    in_active_ = true;
    in_updated_ = timeline_.now() + offered_->pause;
    in_left_ps_bytes_ = offered_->wire_bytes * fraction;
    answer(*offered_, tlm::END_REQ);
    arm(in_updated_ + SimTime::ps(offered_->wire_bytes * byte_ps()));
}

// The other direction has started or ended: what is left of the message goes on at the new rate.
void LinkEnd::retime() {
    if (!in_active_ || cut_) return;
    const SimTime now = timeline_.now();
    const std::int64_t old_rate = [&] {
        out_active_ = !out_active_;
        const std::int64_t rate = byte_ps();
        out_active_ = !out_active_;
        return rate;
    }();
    const std::int64_t passed = std::max<std::int64_t>(0, (now - in_updated_).in_ps());  // nothing during the pause
    in_left_ps_bytes_ = std::max<std::int64_t>(0, in_left_ps_bytes_ - passed * fraction / old_rate);
    in_updated_ = std::max(now, in_updated_);
    arm(in_updated_ + SimTime::ps(in_left_ps_bytes_ * byte_ps() / fraction));
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
    LinkReceive*& place = waiting_[static_cast<std::size_t>(message.channel)];
    in_active_ = false;
    offered_ = nullptr;
    if (place != nullptr) {
        LinkReceive& request = *place;
        place = nullptr;
        if (request.any_body != nullptr) {
            request.any_body->assign(message.body.begin(), message.body.end());
        } else {
            const std::size_t fits = std::min(message.body.size(), request.body.size());
            if (fits > 0) std::memcpy(request.body.data(), message.body.data(), fits);
        }
        const std::size_t fits = std::min(message.header.size(), request.header.size());
        if (fits > 0) std::memcpy(request.header.data(), message.header.data(), fits);
        request.messages = message.messages;
        request.header_bytes = static_cast<std::uint32_t>(message.header.size());
        request.body_bytes = static_cast<std::uint32_t>(message.body.size());
        request.traffic = message.traffic;
        request.received = true;
        processor_.make_ready(*request.receiver);
    }
    answer(message, tlm::BEGIN_RESP);
}

void LinkEnd::answer(LinkMessage& message, tlm::tlm_phase_enum phase_value) {
    tlm::tlm_phase phase = phase_value;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    backward_->nb_transport_bw(message, phase, delay);
}

// Message level knows no blocking transport, no memory and no debug access.
void LinkEnd::b_transport(LinkMessage&, sc_core::sc_time&) {
    SC_REPORT_ERROR("magicwire/link", "a link message has no blocking transport");
}
bool LinkEnd::get_direct_mem_ptr(LinkMessage&, tlm::tlm_dmi&) {
    return false;
}
unsigned LinkEnd::transport_dbg(LinkMessage&) {
    return 0;
}
void LinkEnd::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace hw_model
