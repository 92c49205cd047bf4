#include <hw_model/machine.hpp>

#include <algorithm>
#include <string>
#include <variant>

#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

using topologies::HostEnd;
using topologies::NodeLink;
using topologies::SwitchWay;
using vocabulary::LinkNo;
using vocabulary::NodeId;

template <class... Cases>
struct Match : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

// Numbers that depend on the seed and the node only (splitmix64; Steele, Lea, Flood 2014): the same with any compiler and
// library.
std::uint64_t seeded(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

Machine::Machine(sc_core::sc_module_name name, const topologies::MachineDescription& description,
                 const topologies::CostTable& costs, std::uint64_t seed, const MachineOptions& options)
    : sc_module(name),
      network_(description),
      link_timing_(hw_model::link_timing(costs, description.link_bits_per_second)),
      due_("due") {
    link_timing_.level = options.links;
    build_nodes(description, costs, seed);
    build_switches(description);
    solder(description);
    SC_HAS_PROCESS(Machine);
    SC_METHOD(pump);
    sensitive << due_;
    timeline_.set_listener(this);
}

Machine::~Machine() {
    timeline_.set_listener(nullptr);
}

void Machine::build_nodes(const topologies::MachineDescription& description, const topologies::CostTable& costs,
                          std::uint64_t seed) {
    const ProcessorTiming timing = processor_timing(costs);
    const auto span = [](std::uint64_t random, std::int64_t most) {
        return static_cast<std::int64_t>(random % (2 * static_cast<std::uint64_t>(most) + 1)) - most;
    };
    for (std::size_t i = 0; i < description.nodes.size(); ++i) {
        const NodeId id(static_cast<NodeId::value_type>(i));
        NodeConfig config{.id = id,
                          .ram_bytes = description.nodes[i].ram_bytes,
                          .clock_hz = description.nodes[i].clock_hz,
                          .wired = {},
                          .least_byte = {}};
        for (std::uint8_t link = 0; link < 4; ++link) config.wired[link] = network_.neighbour(id, LinkNo(link)).has_value();
        nodes_.push_back(std::make_unique<Node>(("n" + std::to_string(i)).c_str(), config, timing, link_timing_, timeline_));
        // Offsets only ever lie ahead, so that no clock starts before zero.
        const std::int64_t offset = timing.offset_most_us + span(seeded(seed, 2 * i), timing.offset_most_us);
        nodes_.back()->processor.set_clock(offset / 2, span(seeded(seed, 2 * i + 1), timing.drift_most_ppm));
    }
    const bool wired = network_.neighbour(network_.host(), LinkNo(0)).has_value();
    nodes_.push_back(std::make_unique<HostPort>("host", network_.host(), wired, timing, link_timing_, timeline_));
}

void Machine::build_switches(const topologies::MachineDescription& description) {
    for (const auto& what : description.switches) {
        switches_.push_back(std::make_unique<LinkSwitch>(what.name.c_str()));
        for (const auto& [a, b] : what.connections) switches_.back()->connect(a, b);
    }
}

LinkOut& Machine::out_of(const topologies::WireEnd& end) {
    return std::visit(Match{[this](const NodeLink& at) -> LinkOut& { return nodes_[at.node.value()]->link(at.link)->out; },
                            [this](const SwitchWay& at) -> LinkOut& { return switches_[at.which.value()]->out(at.way); },
                            [this](const HostEnd&) -> LinkOut& { return nodes_.back()->link(LinkNo(0))->out; }},
                      end);
}

LinkIn& Machine::in_of(const topologies::WireEnd& end) {
    return std::visit(Match{[this](const NodeLink& at) -> LinkIn& { return nodes_[at.node.value()]->link(at.link)->in; },
                            [this](const SwitchWay& at) -> LinkIn& { return switches_[at.which.value()]->in(at.way); },
                            [this](const HostEnd&) -> LinkIn& { return nodes_.back()->link(LinkNo(0))->in; }},
                      end);
}

void Machine::solder(const topologies::MachineDescription& description) {
    const auto leads_nowhere = [this](const topologies::WireEnd& end) {  // wired to a switch way that is not connected through
        const auto* at = std::get_if<NodeLink>(&end);
        return (at != nullptr && nodes_[at->node.value()]->link(at->link) == nullptr) ||
               (std::holds_alternative<HostEnd>(end) && nodes_.back()->link(LinkNo(0)) == nullptr);
    };
    for (const auto& wire : description.wires) {
        if (leads_nowhere(wire.a) || leads_nowhere(wire.b)) continue;
        out_of(wire.a).bind(in_of(wire.b));
        out_of(wire.b).bind(in_of(wire.a));
    }
}

SimTime Machine::systemc_time() {
    return SimTime::ps(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
}

// Fires what is due. As long as no other SystemC process waits for a time or a delta cycle, nobody can see SystemC's own clock,
// so the Timeline runs ahead of it (TLM-2.0's temporal decoupling) up to the horizon; whatever else has something to do is met
// exactly.
void Machine::pump() {
    const SimTime here = systemc_time();
    SimTime limit = std::max(here, horizon_);
    if (sc_core::sc_pending_activity())
        limit = std::min(limit, here + SimTime::ps(static_cast<std::int64_t>(sc_core::sc_time_to_pending_activity().value())));
    pumping_ = true;
    timeline_.run_until(limit);
    pumping_ = false;
    notify_at(timeline_.next_time());
}

void Machine::notify_at(SimTime when) {
    if (when == SimTime::never()) return;
    due_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(std::max(when - systemc_time(), SimTime()).in_ps())));
}

void Machine::run_until(SimTime horizon) {
    horizon_ = horizon;
    notify_at(timeline_.next_time());
    if (systemc_time() < horizon)
        sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>((horizon - systemc_time()).in_ps())));
    while (timeline_.next_time() <= horizon) {  // due at the very end of the interval
        notify_at(timeline_.next_time());
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

void Machine::earlier_event(SimTime when) {
    if (!pumping_ && sc_core::sc_is_running()) notify_at(when);
}

}  // namespace hw_model
