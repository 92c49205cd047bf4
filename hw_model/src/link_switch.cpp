#include <hw_model/link_switch.hpp>

#include <string>

#include <vocabulary/contract.hpp>

namespace hw_model {

using vocabulary::WayNo;

class LinkSwitch::Way : private LinkForward, private LinkBackward {
public:
    LinkOut out;
    LinkIn in;

    Way(LinkSwitch& owner, WayNo number)
        : out(("out" + std::to_string(number.value())).c_str()),
          in(("in" + std::to_string(number.value())).c_str()),
          owner_(owner),
          number_(number) {
        out.bind(static_cast<LinkBackward&>(*this));
        in.bind(static_cast<LinkForward&>(*this));
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        const auto to = owner_.output_of(number_);
        // The acknowledges of the bytes come back over the other direction, so one without the other carries nothing either.
        if (!to || owner_.output_of(*to) != number_ || owner_.way(*to).out.size() == 0) {
            message.unconnected = true;
            return tlm::TLM_ACCEPTED;
        }
        ++message.switches;
        return owner_.way(*to).out->nb_transport_fw(message, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        for (std::size_t input = 0; input < way_count; ++input) {
            if (owner_.output_of_[input] != number_) continue;
            return owner_.ways_[input]->in->nb_transport_bw(message, phase, delay);
        }
        return tlm::TLM_COMPLETED;  // the connection was taken away: the answer goes nowhere
    }
    void b_transport(LinkMessage&, sc_core::sc_time&) override {
        SC_REPORT_ERROR("magicwire/switch", "a link message has no blocking transport");
    }
    bool get_direct_mem_ptr(LinkMessage&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(LinkMessage&) override { return 0; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    LinkSwitch& owner_;
    WayNo number_;
};

LinkSwitch::LinkSwitch(sc_core::sc_module_name name) : sc_module(name) {
    for (std::size_t i = 0; i < way_count; ++i)
        ways_[i] = std::make_unique<Way>(*this, WayNo(static_cast<WayNo::value_type>(i)));
}

LinkSwitch::~LinkSwitch() = default;

LinkSwitch::Way& LinkSwitch::way(WayNo number) {
    EXPECTS(number.value() < way_count, "link_switch.way");
    return *ways_[number.value()];
}

LinkOut& LinkSwitch::out(WayNo number) {
    return way(number).out;
}
LinkIn& LinkSwitch::in(WayNo number) {
    return way(number).in;
}

void LinkSwitch::connect(WayNo a, WayNo b) {
    EXPECTS(a.value() < way_count && b.value() < way_count && a != b, "link_switch.connect");
    output_of_[a.value()] = b;
    output_of_[b.value()] = a;
}

void LinkSwitch::disconnect(WayNo output) {
    for (auto& to : output_of_) {
        if (to == output) to.reset();
    }
}

std::optional<WayNo> LinkSwitch::input_of(WayNo output) const {
    for (std::size_t input = 0; input < way_count; ++input) {
        if (output_of_[input] == output) return WayNo(static_cast<WayNo::value_type>(input));
    }
    return std::nullopt;
}

std::optional<WayNo> LinkSwitch::output_of(WayNo input) const {
    return output_of_[input.value()];
}

}  // namespace hw_model
