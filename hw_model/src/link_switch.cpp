#include <hw_model/link_switch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <vocabulary/contract.hpp>

namespace hw_model {

using vocabulary::WayNo;

SwitchTiming switch_timing(const topologies::CostTable& costs, std::int64_t bits_per_second) {
    const double bit_ps = 1e12 / static_cast<double>(bits_per_second);
    return {.pass = SimTime::ps(std::llround(costs.get("switch.pass", "bits") * bit_ps)),
            .internal = costs.time("switch.internal")};
}

// Input and output of the same number: the two ends that one cable of a link is soldered to.
class LinkSwitch::Way : private LinkForward, private LinkBackward {
public:
    LinkOut out;
    LinkIn in;

    Way(LinkSwitch& owner, std::size_t number)
        : out(("out" + std::to_string(number)).c_str()),
          in(("in" + std::to_string(number)).c_str()),
          owner_(owner),
          number_(number) {
        out.bind(static_cast<LinkBackward&>(*this));
        in.bind(static_cast<LinkForward&>(*this));
    }

    // Tells the link end whose messages enter at this way.
    void tell(const tlm::tlm_phase& what) {
        if (in.get_base_port().size() == 0) return;
        LinkMessage nobody;
        tlm::tlm_phase phase = what;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        in->nb_transport_bw(nobody, phase, delay);
    }

private:
    Way* partner() const {
        const std::uint8_t other = partner_in(owner_.now_, number_);
        return other == none ? nullptr : owner_.ways_[other].get();
    }
    void pass(sc_core::sc_time& delay) const {
        delay += sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(owner_.timing_.pass.in_ps()));
    }

    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        Way* to = partner();
        const bool starts = phase == tlm::BEGIN_REQ;
        if (to == nullptr || to->out.size() == 0 || (owner_.changing_[number_] && phase != link_broken)) {
            if (starts) message.unconnected = true;
            return starts ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
        }
        if (starts) ++message.switches;
        if (phase == link_data) pass(delay);
        if (phase == link_broken && owner_.telling_ == number_ && message.lost) {
            ++owner_.status_.lost;
            if (owner_.witness_ != nullptr)
                owner_.witness_->on_lost(owner_, WayNo(static_cast<WayNo::value_type>(number_)), message);
        }
        return to->out->nb_transport_fw(message, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
        Way* to = partner();
        // Its connection was taken away: the answer goes nowhere.
        if (to == nullptr || to->in.get_base_port().size() == 0) return tlm::TLM_COMPLETED;
        if (phase == link_acknowledge) {
            if (owner_.changing_[number_]) return tlm::TLM_COMPLETED;
            pass(delay);
        }
        return to->in->nb_transport_bw(message, phase, delay);
    }
    void b_transport(LinkMessage&, sc_core::sc_time&) override {
        SC_REPORT_ERROR("magicwire/switch", "a link message has no blocking transport");
    }
    bool get_direct_mem_ptr(LinkMessage&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(LinkMessage&) override { return 0; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    LinkSwitch& owner_;
    std::size_t number_;
};

LinkSwitch::LinkSwitch(sc_core::sc_module_name name, std::uint32_t order, const SwitchTiming& timing, Timeline& timeline,
                       Revision revision)
    : sc_module(name), timeline_(timeline), order_(order), timing_(timing), revision_(revision) {
    for (Inputs* inputs : {&prepared_, &set_, &now_}) inputs->fill(none);
    for (std::size_t i = 0; i < way_count; ++i) ways_[i] = std::make_unique<Way>(*this, i);
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

std::size_t LinkSwitch::message_bytes(std::uint8_t command) {
    constexpr std::array<std::size_t, 7> bytes = {3, 3, 2, 1, 1, 2, 3};
    return command < bytes.size() ? bytes[command] : 1;
}

void LinkSwitch::configure(std::uint8_t byte) {
    incoming_.bytes[incoming_.got++] = byte;
    if (!incoming_.complete()) return;
    to_act_.push_back(incoming_);
    incoming_ = {};
    acts_until_ = std::max(acts_until_, timeline_.now()) + timing_.internal;
    timeline_.post(acts_until_, order_, *this, 0);
}

void LinkSwitch::fire(std::uint32_t) {
    const Message message = to_act_.front();
    to_act_.pop_front();
    act(message);
}

bool LinkSwitch::ways_exist(const Message& message) const {
    return std::all_of(message.bytes.begin() + 1, message.bytes.begin() + static_cast<std::ptrdiff_t>(message.got),
                       [](std::uint8_t way) { return way < way_count; });
}

void LinkSwitch::act(const Message& message) {
    ++status_.messages;
    const auto [command, a, b] = message.bytes;
    if (command > static_cast<std::uint8_t>(SwitchCommand::DisconnectLinks) || !ways_exist(message)) {
        ++status_.ignored;
        return;
    }
    switch (static_cast<SwitchCommand>(command)) {
        case SwitchCommand::ConnectOutput:
            prepared_[b] = a;
            return;
        case SwitchCommand::ConnectLinks:
            prepared_[a] = b;
            prepared_[b] = a;
            return;
        case SwitchCommand::Enquire:
            if (reply_) reply_(reply_about(a));
            return;
        case SwitchCommand::EndOfSetUp:
            set_ = prepared_;
            break;
        case SwitchCommand::Reset:
            prepared_.fill(none);
            set_ = prepared_;
            break;
        case SwitchCommand::DisconnectLinks:
            drop(b);
            [[fallthrough]];
        case SwitchCommand::DisconnectOutput:
            drop(a);
            break;
    }
    apply();
}

void LinkSwitch::drop(std::uint8_t output) {
    prepared_[output] = set_[output] = none;
}

std::uint8_t LinkSwitch::reply_about(std::uint8_t output) const {
    const std::uint8_t input = now_[output];
    if (input == none) return 0;
    return revision_ == Revision::B ? static_cast<std::uint8_t>(input | 0x80) : input;
}

LinkSwitch::Inputs LinkSwitch::driven() const {
    Inputs inputs = set_;
    for (std::size_t output = 0; output < way_count; ++output) {
        if (stuck_[output]) inputs[output] = *stuck_[output];
    }
    return inputs;
}

std::uint8_t LinkSwitch::partner_in(const Inputs& inputs, std::size_t way) {
    const std::uint8_t other = inputs[way];
    return other != none && inputs[other] == way ? other : none;
}

void LinkSwitch::apply() {
    const Inputs next = driven();
    if (next == now_) return;
    std::array<bool, way_count> joined{};
    for (std::size_t way = 0; way < way_count; ++way) {
        changing_[way] = partner_in(now_, way) != partner_in(next, way);
        joined[way] = changing_[way] && partner_in(next, way) != none;
    }
    for (std::size_t way = 0; way < way_count; ++way) {
        if (!changing_[way] || partner_in(now_, way) == none) continue;
        telling_ = way;
        ways_[way]->tell(link_broken);
    }
    telling_ = way_count;
    now_ = next;
    changing_.fill(false);
    for (std::size_t way = 0; way < way_count; ++way) {
        if (joined[way]) ways_[way]->tell(link_joined);
    }
}

void LinkSwitch::connect(WayNo a, WayNo b) {
    EXPECTS(a.value() < way_count && b.value() < way_count && a != b, "link_switch.connect");
    prepared_[a.value()] = set_[a.value()] = b.value();
    prepared_[b.value()] = set_[b.value()] = a.value();
    apply();
}

void LinkSwitch::disconnect(WayNo output) {
    EXPECTS(output.value() < way_count, "link_switch.disconnect");
    drop(output.value());
    apply();
}

void LinkSwitch::stick(WayNo output, std::optional<std::optional<WayNo>> input) {
    EXPECTS(output.value() < way_count, "link_switch.stick");
    auto& stuck = stuck_[output.value()];
    stuck.reset();
    if (input) stuck = *input ? (**input).value() : none;
    apply();
}

std::optional<WayNo> LinkSwitch::input_of(WayNo output) const {
    const std::uint8_t input = now_[output.value()];
    return input == none ? std::nullopt : std::optional(WayNo(input));
}

std::optional<WayNo> LinkSwitch::partner(WayNo way) const {
    const std::uint8_t other = partner_in(now_, way.value());
    return other == none ? std::nullopt : std::optional(WayNo(other));
}

}  // namespace hw_model
