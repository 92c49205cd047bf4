#include <hw_model/link_tap.hpp>

#include <algorithm>
#include <string>

#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

constexpr LinkTap::Way reverse(LinkTap::Way way) {
    return way == LinkTap::Along ? LinkTap::Against : LinkTap::Along;
}

}  // namespace

// The entry of a message that goes `way`. Answers to messages that come the other way leave here.
class LinkTap::Side : private LinkForward, private LinkBackward {
public:
    LinkOut out;
    LinkIn in;

    Side(LinkTap& owner, Way way)
        : out(way == Along ? "out_a" : "out_b"), in(way == Along ? "in_a" : "in_b"), owner_(owner), way_(way) {
        out.bind(static_cast<LinkBackward&>(*this));
        in.bind(static_cast<LinkForward&>(*this));
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        return owner_.forward(way_, message, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        return owner_.backward(reverse(way_), message, phase, delay);
    }
    void b_transport(LinkMessage&, sc_core::sc_time&) override {
        SC_REPORT_ERROR("magicwire/tap", "a link message has no blocking transport");
    }
    bool get_direct_mem_ptr(LinkMessage&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(LinkMessage&) override { return 0; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    LinkTap& owner_;
    Way way_;
};

LinkTap::LinkTap(sc_core::sc_module_name name, std::size_t wire, Timeline& timeline)
    : sc_module(name), wire_(wire), timeline_(timeline) {
    for (const Way way : {Along, Against}) sides_[way] = std::make_unique<Side>(*this, way);
}

LinkTap::~LinkTap() = default;

LinkOut& LinkTap::out(bool end_a) {
    return sides_[end_a ? Along : Against]->out;
}
LinkIn& LinkTap::in(bool end_a) {
    return sides_[end_a ? Along : Against]->in;
}

tlm::tlm_sync_enum LinkTap::forward(Way way, LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == link_data) {
        if (!data_byte_passes(way, message)) return tlm::TLM_COMPLETED;
    } else if (phase == tlm::BEGIN_REQ) {
        if (const Disturbance* by = blocks_transfer(way)) {
            message.unconnected = true;
            tell(by->fault, way, Effect::Refused, message, 0);
            return tlm::TLM_COMPLETED;
        }
        passing_[way].message = &message;
        passing_[way].begun = false;
    } else if (passing_[way].message == &message) {  // the path is changed, or it was stopped
        passing_[way].message = nullptr;
    }
    return sides_[reverse(way)]->out->nb_transport_fw(message, phase, delay);
}

tlm::tlm_sync_enum LinkTap::backward(Way way, LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    LinkBackward& sender = *sides_[way]->in.operator->();
    Passage& passage = passing_[way];
    if (phase == link_acknowledge) {
        if (!acknowledge_passes(way, message)) return tlm::TLM_COMPLETED;
    } else if (phase == tlm::END_REQ) {
        begin(way, message);
    } else if (phase == tlm::BEGIN_RESP && passage.message == &message) {
        passage.message = nullptr;
        if (passage.swallow_end) {
            message.aborted = true;
            phase = link_stopped;
        }
    } else if (phase == link_stopped && passage.message == &message) {
        passage.message = nullptr;
    }
    return sender.nb_transport_bw(message, phase, delay);
}

const LinkTap::Disturbance* LinkTap::blocks(Way packet) const {
    const auto found = std::find_if(disturbances_.begin(), disturbances_.end(),
                                    [&](const Disturbance& d) { return d.kind == Kind::Block && d.ways[packet]; });
    return found == disturbances_.end() ? nullptr : &*found;
}

// The acknowledges come back over the other direction, so one without the other carries nothing.
const LinkTap::Disturbance* LinkTap::blocks_transfer(Way message) const {
    const Disturbance* by = blocks(message);
    return by != nullptr ? by : blocks(reverse(message));
}

void LinkTap::block(std::size_t fault, Ways ways) {
    disturbances_.push_back({fault, Kind::Block, ways, {}, {}, {}});
    for (const Way way : {Along, Against}) {
        Passage& passage = passing_[way];
        if (passage.message == nullptr || blocks_transfer(way) == nullptr) continue;
        LinkMessage& message = *passage.message;
        if (passage.begun) {
            stop(fault, way, message, Effect::Stopped, 0);
            continue;
        }
        if (message.began != SimTime::never()) continue;  // byte level: its first acknowledge is struck, or passes before
        // The receiving end must not begin a message that can bring no more bytes. The sender offers it again when the fault
        // ends.
        passage.message = nullptr;
        tlm::tlm_phase phase = link_broken;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        sides_[reverse(way)]->out->nb_transport_fw(message, phase, delay);
        message.unconnected = true;
        tell(fault, way, Effect::Refused, message, 0);
    }
}

void LinkTap::flip(std::size_t fault, Ways ways, std::optional<double> rate, std::uint64_t seed) {
    const std::array<SeededStream, 2> data{SeededStream(seed, 0), SeededStream(seed, 1)},
        acknowledge{SeededStream(seed, 2), SeededStream(seed, 3)};
    disturbances_.push_back({fault, Kind::Flip, ways, rate, data, acknowledge});
    if (!rate) strike_message_under_way(disturbances_.back());
}

void LinkTap::lose_acknowledges(std::size_t fault, Ways ways, std::optional<double> rate, std::uint64_t seed) {
    const std::array<SeededStream, 2> acknowledge{SeededStream(seed, 2), SeededStream(seed, 3)};
    disturbances_.push_back({fault, Kind::LoseAcknowledge, ways, rate, {}, acknowledge});
    if (!rate) strike_message_under_way(disturbances_.back());
}

void LinkTap::end(std::size_t fault) {
    const bool blocked = std::any_of(disturbances_.begin(), disturbances_.end(),
                                     [&](const Disturbance& d) { return d.fault == fault && d.kind == Kind::Block; });
    std::erase_if(disturbances_, [&](const Disturbance& d) { return d.fault == fault; });
    if (!blocked) return;
    for (const Way way : {Along, Against}) {
        if (blocks_transfer(way) != nullptr || sides_[way]->in.get_base_port().size() == 0) continue;
        LinkMessage none;
        tlm::tlm_phase phase = link_joined;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        sides_[way]->in->nb_transport_bw(none, phase, delay);
    }
}

// Byte level: one data packet. A message whose first byte did not get through can be offered again.
bool LinkTap::data_byte_passes(Way way, LinkMessage& message) {
    const bool refused = message.position == 0;  // none of its bytes can get through, so it does not begin, as at message level
    if (const Disturbance* by = refused ? blocks_transfer(way) : blocks(way)) {
        message.aborted = !refused;
        tell(by->fault, way, refused ? Effect::Refused : Effect::Stopped, message, message.position);
        return false;
    }
    for (Disturbance& d : disturbances_) {
        if (d.kind != Kind::Flip || d.spent || !d.ways[way] || (d.rate && d.data[way].uniform() >= *d.rate)) continue;
        const std::uint8_t mask = change_or_loss(d, way);
        message.aborted = mask == 0;
        tell(d.fault, way, mask == 0 ? Effect::PacketLost : Effect::ByteChanged, message, message.position);
        if (mask == 0) return false;
        message.byte ^= mask;
    }
    if (message.position == 0) {  // into the receiver's buffer, where it may wait
        message.watched = true;
        passing_[way].message = &message;
        passing_[way].begun = false;
    }
    return true;
}

// Byte level: the acknowledge of one byte of a message that goes `way`.
bool LinkTap::acknowledge_passes(Way way, LinkMessage& message) {
    const Way back = reverse(way);
    passing_[way].message = nullptr;
    if (const Disturbance* by = blocks(back)) {
        message.aborted = true;
        tell(by->fault, way, Effect::Stopped, message, message.position);
        return false;
    }
    for (Disturbance& d : disturbances_) {
        if (d.spent || !d.ways[back] || (d.kind == Kind::Flip && !d.rate)) continue;
        if (d.rate && d.acknowledge[back].uniform() >= *d.rate * acknowledge_share(d)) continue;
        d.spent = !d.rate;
        message.aborted = true;
        tell(d.fault, way, Effect::AcknowledgeLost, message, message.position);
        return false;
    }
    return true;
}

// The share of its rate per data packet that applies to an acknowledge, which is shorter.
double LinkTap::acknowledge_share(const Disturbance& d) {
    return d.kind == Kind::Flip ? static_cast<double>(acknowledge_bits) / data_bits : 1;
}

// Message level: the receiver takes the message from now on, so its bytes are struck now.
void LinkTap::begin(Way way, LinkMessage& message) {
    Passage& passage = passing_[way];
    passage.message = &message;
    passage.begun = true;
    passage.swallow_end = false;
    passage.changes.clear();
    for (Disturbance& d : disturbances_) {
        if (passage.message == nullptr) return;
        if (d.kind == Kind::Block || d.spent) continue;
        if (d.rate) {
            strike_bytes(d, way, message);
        } else {
            strike_one(d, way, message, 0);
        }
    }
}

// The same draws in the same order as byte by byte.
void LinkTap::strike_bytes(Disturbance& d, Way way, LinkMessage& message) {
    const Way back = reverse(way);
    const bool data = d.kind == Kind::Flip && d.ways[way], acknowledge = d.ways[back];
    const double share = acknowledge_share(d);
    for (std::uint32_t position = 0; position < message.wire_bytes; ++position) {
        if (data && d.data[way].uniform() < *d.rate) {
            const std::uint8_t mask = change_or_loss(d, way);
            if (mask == 0) return stop(d.fault, way, message, Effect::PacketLost, position);
            change(d.fault, way, message, {position, mask});
        }
        if (acknowledge && d.acknowledge[back].uniform() < *d.rate * share)
            return lose_acknowledge(d.fault, way, message, position);
    }
}

void LinkTap::strike_one(Disturbance& d, Way way, LinkMessage& message, std::uint32_t position) {
    if (d.kind == Kind::LoseAcknowledge && d.ways[reverse(way)]) {
        d.spent = true;
        lose_acknowledge(d.fault, way, message, position);
    } else if (d.kind == Kind::Flip && d.ways[way]) {
        const std::uint8_t mask = change_or_loss(d, way);
        if (mask == 0) return stop(d.fault, way, message, Effect::PacketLost, position);
        change(d.fault, way, message, {position, mask});
    }
}

void LinkTap::strike_message_under_way(Disturbance& d) {
    for (const Way way : {Along, Against}) {
        Passage& passage = passing_[way];
        if (d.spent || passage.message == nullptr || !passage.begun || passage.message->wire_bytes == 0) continue;
        const bool hits = d.kind == Kind::Flip ? d.ways[way] : d.ways[reverse(way)];
        if (!hits) continue;
        SeededStream& stream = d.kind == Kind::Flip ? d.data[way] : d.acknowledge[reverse(way)];
        strike_one(d, way, *passage.message, static_cast<std::uint32_t>(stream.below(passage.message->wire_bytes)));
    }
}

// The bit that is hit: the mask for the byte, or 0 when the packet is no longer recognised.
std::uint8_t LinkTap::change_or_loss(Disturbance& d, Way way) {
    d.spent = !d.rate;
    const auto bit = static_cast<std::uint32_t>(d.data[way].below(data_bits));
    const bool of_the_byte = bit >= first_data_bit && bit < first_data_bit + 8;
    return of_the_byte ? static_cast<std::uint8_t>(1U << (bit - first_data_bit)) : std::uint8_t{0};
}

void LinkTap::change(std::size_t fault, Way way, LinkMessage& message, Change what) {
    Passage& passage = passing_[way];
    if (passage.changes.empty() && message.damage != &passage) {
        passage.before = message.damage;
        message.damage = &passage;
    }
    passage.changes.push_back(what);
    tell(fault, way, Effect::ByteChanged, message, what.position);
}

void LinkTap::stop(std::size_t fault, Way way, LinkMessage& message, Effect effect, std::uint32_t position) {
    message.aborted = true;
    passing_[way].message = nullptr;
    tlm::tlm_phase phase = link_stopped;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    sides_[way]->in->nb_transport_bw(message, phase, delay);
    sides_[reverse(way)]->out->nb_transport_fw(message, phase, delay);
    tell(fault, way, effect, message, position);
}

// Nothing follows a byte without acknowledge; when it was the last one, the receiver has all.
void LinkTap::lose_acknowledge(std::size_t fault, Way way, LinkMessage& message, std::uint32_t position) {
    if (position + 1 < message.wire_bytes) return stop(fault, way, message, Effect::AcknowledgeLost, position);
    passing_[way].swallow_end = true;
    tell(fault, way, Effect::AcknowledgeLost, message, position);
}

void LinkTap::tell(std::size_t fault, Way way, Effect effect, const LinkMessage& message, std::uint32_t position) {
    if (witness_ != nullptr) witness_->hit(*this, {fault, timeline_.now(), way, effect, &message, position});
}

// As at byte level, the body comes last on the wire. The part of a header's modelled length beyond its content is empty.
void LinkTap::Passage::arrived(const LinkMessage& what, std::span<std::byte> header, std::span<std::byte> body) {
    if (before != nullptr) before->arrived(what, header, body);
    const std::size_t body_at = what.wire_bytes - std::min<std::size_t>(what.wire_bytes, what.body.size());
    for (const Change& one : changes) {
        const auto mask = static_cast<std::byte>(one.mask);
        if (one.position >= body_at) {
            if (one.position - body_at < body.size()) body[one.position - body_at] ^= mask;
        } else if (one.position < header.size()) {
            header[one.position] ^= mask;
        }
    }
    changes.clear();
}

}  // namespace hw_model
