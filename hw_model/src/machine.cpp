#include <hw_model/machine.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include <hw_model/core_driver.hpp>
#include <topologies/link_speeds.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/match.hpp>
#include <vocabulary/split_mix.hpp>

namespace hw_model {
namespace {

using topologies::HostEnd;
using topologies::NodeLink;
using topologies::SwitchWay;
using vocabulary::LinkNo;
using vocabulary::Match;
using vocabulary::NodeId;
using vocabulary::SwitchId;

// The links that have a cable, by node, the host last.
std::vector<std::array<bool, topologies::links_per_node>> soldered_links(const topologies::MachineDescription& description) {
    std::vector<std::array<bool, topologies::links_per_node>> soldered(description.nodes.size() + 1);
    for (const auto& wire : description.wires) {
        for (const topologies::WireEnd& end : {wire.a, wire.b}) {
            if (const auto* at = std::get_if<NodeLink>(&end)) soldered[at->node.value()][at->link.value()] = true;
            if (const auto* at = std::get_if<HostEnd>(&end)) soldered.back()[at->link.value()] = true;
        }
    }
    return soldered;
}

// A random number turned into one from -most to most.
std::int64_t within(std::int64_t most, std::uint64_t random) {
    return static_cast<std::int64_t>(random % (2 * static_cast<std::uint64_t>(most) + 1)) - most;
}

// A core counts its own switches, and its own accesses to memory.
ProcessorTiming of_core(ProcessorTiming timing) {
    timing.preempt_latency = timing.preempt_latency_most = timing.preempt_latency_most_fpu = Cycles(0);
    timing.resume_preempted = timing.start_process = Cycles(0);
    timing.code_percent = timing.code_percent_stated;
    return timing;
}

std::int64_t drift_of_node(std::size_t node, const ProcessorTiming& timing, std::uint64_t seed) {
    return within(timing.drift_most_ppm, vocabulary::split_mix(seed, 2 * node + 1));
}

}  // namespace

Machine::Machine(sc_core::sc_module_name name, const topologies::MachineDescription& description,
                 const topologies::CostTable& costs, std::uint64_t seed, const MachineOptions& options)
    : sc_module(name),
      description_(description),
      network_(description),
      interrupt_master_(description.interrupt_master),
      due_("due"),
      lockstep_(options.lockstep) {
    default_timing_ = &timing_at(costs, description.link_bits_per_second, options.links);
    // Engines of byte streams have no runs, and a core is faster where the Timeline may be quiet.
    const bool kernels = std::all_of(description.nodes.begin(), description.nodes.end(),
                                     [](const auto& node) { return node.core == topologies::NodeCore::Kernel; });
    if (options.links == LinkLevel::Byte && !options.lockstep && !options.byte_by_byte && kernels) timeline_.keep_history(true);
    build_nodes(description, costs, seed, options.links);
    build_switches(costs);
    build_control(costs);
    solder(description, options.tapped_wires);
    SC_HAS_PROCESS(Machine);
    SC_METHOD(pump);
    sensitive << due_;
    timeline_.set_listener(this);
    if (interrupt_master_) timeline_.outside().with_any_event();
}

void Machine::attach(Chronicle& chronicle) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i]->processor.attach(&chronicle);
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            if (LinkEnd* end = nodes_[i]->link(LinkNo(link))) end->attach(&chronicle, {static_cast<std::uint16_t>(i), link});
        }
    }
}

Machine::~Machine() {
    timeline_.set_listener(nullptr);
}

const LinkTiming& Machine::timing_at(const topologies::CostTable& costs, std::int64_t bits_per_second, LinkLevel level) {
    const auto [at, is_new] = link_timings_.try_emplace(bits_per_second);
    if (is_new) {
        at->second = hw_model::link_timing(costs, bits_per_second);
        at->second.level = level;
    }
    return at->second;
}

Node::LinkTimings Machine::timings_of(const topologies::CostTable& costs, NodeId node, LinkLevel level) {
    Node::LinkTimings timings{};
    for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
        const topologies::WireEnd end = node == network_.host() ? topologies::WireEnd(HostEnd{LinkNo(link)})
                                                                : topologies::WireEnd(NodeLink{node, LinkNo(link)});
        timings[link] = &timing_at(costs, topologies::link_speed(description_, end), level);
    }
    return timings;
}

const LinkTiming& Machine::link_timing(NodeId node, LinkNo link) const {
    EXPECTS(node.value() < timings_.size() && link.value() < topologies::links_per_node, "machine.link_timing.link");
    return *timings_[node.value()][link.value()];
}

void Machine::build_nodes(const topologies::MachineDescription& description, const topologies::CostTable& costs,
                          std::uint64_t seed, LinkLevel level) {
    const ProcessorTiming timing = processor_timing(costs);
    const auto soldered = soldered_links(description);
    for (std::size_t i = 0; i < description.nodes.size(); ++i) {
        const NodeId id(static_cast<NodeId::value_type>(i));
        const bool has_core = description.nodes[i].core == topologies::NodeCore::T800;
        NodeConfig config{.id = id,
                          .ram_bytes = description.nodes[i].ram_bytes,
                          .clock_hz = description.nodes[i].clock_hz,
                          .wired = soldered[i],
                          .least_byte = {},
                          .places = Arena::most_places,
                          .uses = {},
                          .core = {}};
        if (has_core) {
            config.uses.fill(LinkUse::Bytes);
            config.core = core_settings(costs, description.nodes[i].clock_hz);
        }
        timings_.push_back(timings_of(costs, id, level));
        nodes_.push_back(std::make_unique<Node>(("n" + std::to_string(i)).c_str(), config, has_core ? of_core(timing) : timing,
                                                timings_.back(), timeline_));
        // Offsets only ever lie ahead, so that no clock starts before zero.
        const std::int64_t offset = timing.offset_most_us + within(timing.offset_most_us, vocabulary::split_mix(seed, 2 * i));
        nodes_.back()->processor.set_clock(offset / 2, drift_of_node(i, timing, seed));
    }
    timings_.push_back(timings_of(costs, network_.host(), level));
    std::array<LinkUse, 4> host_uses{};
    for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
        const auto& neighbour = network_.neighbour(network_.host(), LinkNo(link));
        if (neighbour && description.nodes[neighbour->node.value()].core == topologies::NodeCore::T800)
            host_uses[link] = LinkUse::Bytes;
    }
    nodes_.push_back(std::make_unique<HostPort>("host", network_.host(), soldered.back(), timing, timings_.back(),
                                                default_timing_->host_byte, timeline_, host_uses));
}

void Machine::redraw_clock_drifts(const topologies::CostTable& costs, std::uint64_t seed) {
    const ProcessorTiming timing = processor_timing(costs);
    for (std::size_t i = 0; i < node_count(); ++i) nodes_[i]->processor.set_drift(drift_of_node(i, timing, seed));
}

void Machine::build_switches(const topologies::CostTable& costs) {
    for (const auto& what : description_.switches) {
        const SwitchId id(static_cast<SwitchId::value_type>(switches_.size()));
        const SwitchTiming timing = switch_timing(costs, topologies::switch_speed(description_, id));
        const auto order = static_cast<std::uint32_t>(nodes_.size() + switches_.size());
        switches_.push_back(std::make_unique<LinkSwitch>(what.name.c_str(), order, timing, timeline_, what.revision));
        switches_.back()->set_witness(this);
    }
}

void Machine::build_control(const topologies::CostTable& costs) {
    std::vector<std::vector<SwitchId>> lines = description_.control;
    if (lines.empty() && !switches_.empty()) {
        lines.emplace_back();
        for (std::size_t i = 0; i < switches_.size(); ++i)
            lines.back().push_back(SwitchId(static_cast<SwitchId::value_type>(i)));
    }
    control_places_.resize(switches_.size());
    for (const auto& line : lines) {
        std::vector<LinkSwitch*> along;
        along.reserve(line.size());
        // A C004's configuration link has the speed of its ways.
        for (const SwitchId id : line) along.push_back(switches_[id.value()].get());
        const std::int64_t speed = topologies::control_speed(description_, line);
        const ControlTiming timing = control_timing(costs, timing_at(costs, speed, default_timing_->level).byte_one_way[0]);
        const auto order = static_cast<std::uint32_t>(nodes_.size() + switches_.size() + control_.size());
        control_.push_back(std::make_unique<ControlLine>(std::move(along), order, timing, timeline_));
        for (std::size_t i = 0; i < line.size(); ++i) control_places_[line[i].value()] = {control_.back().get(), i};
    }
}

void Machine::connect_switches() {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        for (const auto& [a, b] : description_.switches[i].connections) switches_[i]->connect(a, b);
    }
}

void Machine::configure(SwitchId id, std::vector<std::uint8_t> bytes, std::size_t replies, ControlLine::Done done) {
    const ControlPlace& place = control_places_[id.value()];
    EXPECTS(place.line != nullptr, "machine.configure.switch_on_a_control_line");
    place.line->send(place.position, std::move(bytes), replies, std::move(done));
}

std::optional<topologies::WireEnd> Machine::end_behind(SwitchWay way) const {
    // A path through every way of every switch has come back to its beginning.
    for (std::size_t left = switches_.size() * LinkSwitch::way_count; left > 0; --left) {
        const auto cable = cable_.find(way);
        if (cable == cable_.end()) return std::nullopt;
        const auto* next = std::get_if<SwitchWay>(&cable->second);
        if (next == nullptr) return cable->second;
        const auto partner = switches_[next->which.value()]->partner(next->way);
        if (!partner) return std::nullopt;
        way = {next->which, *partner};
    }
    return std::nullopt;
}

void Machine::on_lost(const LinkSwitch& where, vocabulary::WayNo input, const LinkMessage& message) {
    if (loss_witness_ == nullptr) return;
    const auto found =
        std::find_if(switches_.begin(), switches_.end(), [&](const auto& candidate) { return candidate.get() == &where; });
    const SwitchId id(static_cast<SwitchId::value_type>(found - switches_.begin()));
    const auto output = where.partner(input);
    loss_witness_->on_loss({.when = timeline_.now(),
                            .which = id,
                            .input = input,
                            .from = end_behind({id, input}),
                            .to = output ? end_behind({id, *output}) : std::nullopt,
                            .message = &message});
}

LinkOut& Machine::out_of(const topologies::WireEnd& end) {
    return std::visit(Match{[this](const NodeLink& at) -> LinkOut& { return nodes_[at.node.value()]->link(at.link)->out; },
                            [this](const SwitchWay& at) -> LinkOut& { return switches_[at.which.value()]->out(at.way); },
                            [this](const HostEnd& at) -> LinkOut& { return nodes_.back()->link(at.link)->out; }},
                      end);
}

LinkIn& Machine::in_of(const topologies::WireEnd& end) {
    return std::visit(Match{[this](const NodeLink& at) -> LinkIn& { return nodes_[at.node.value()]->link(at.link)->in; },
                            [this](const SwitchWay& at) -> LinkIn& { return switches_[at.which.value()]->in(at.way); },
                            [this](const HostEnd& at) -> LinkIn& { return nodes_.back()->link(at.link)->in; }},
                      end);
}

void Machine::solder(const topologies::MachineDescription& description, const std::vector<std::size_t>& tapped) {
    for (std::size_t i = 0; i < description.wires.size(); ++i) {
        const auto& wire = description.wires[i];
        if (const auto* way = std::get_if<SwitchWay>(&wire.a)) cable_[*way] = wire.b;
        if (const auto* way = std::get_if<SwitchWay>(&wire.b)) cable_[*way] = wire.a;
        if (std::find(tapped.begin(), tapped.end(), i) == tapped.end()) {
            out_of(wire.a).bind(in_of(wire.b));
            out_of(wire.b).bind(in_of(wire.a));
            continue;
        }
        LinkTap& tap = *(taps_[i] = std::make_unique<LinkTap>(("tap" + std::to_string(i)).c_str(), i, timeline_));
        out_of(wire.a).bind(tap.in(true));
        tap.out(true).bind(in_of(wire.a));
        out_of(wire.b).bind(tap.in(false));
        tap.out(false).bind(in_of(wire.b));
    }
}

LinkTap* Machine::tap(std::size_t wire) {
    const auto found = taps_.find(wire);
    return found == taps_.end() ? nullptr : found->second.get();
}

SimTime Machine::systemc_time() {
    return SimTime::ps(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
}

SimTime Machine::next_of_systemc() {
    if (!sc_core::sc_pending_activity()) return SimTime::never();
    return systemc_time() + SimTime::ps(static_cast<std::int64_t>(sc_core::sc_time_to_pending_activity().value()));
}

// Fires what is due. SystemC's own clock is invisible while no other SystemC process waits for a time or a delta cycle. So the
// Timeline runs ahead of it up to the horizon (TLM-2.0's temporal decoupling). Any other pending activity is met exactly.
void Machine::pump() {
    const SimTime here = systemc_time();
    SimTime limit = lockstep_ ? here : std::max(here, horizon_);
    if (!lockstep_) limit = std::min(limit, next_of_systemc());
    if (!pins_.empty()) timeline_.outside().nothing_before(std::min(horizon_, next_of_systemc()));
    pumping_ = true;
    timeline_.run_until(limit);
    pumping_ = false;
    for (const auto& [id, pins] : pins_) pins->show();
    if (witness_ != nullptr) witness_->moment();
    notify_at(timeline_.next_time());
}

void Machine::notify_at(SimTime when) {
    if (when == SimTime::never()) return;
    due_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(std::max(when - systemc_time(), SimTime()).in_ps())));
}

NodePins& Machine::pins(NodeId id) {
    auto& pins = pins_[id];
    if (!pins) {
        EXPECTS(!sc_core::sc_start_of_simulation_invoked(), "machine.pins.late");
        pins = std::make_unique<NodePins>(("pins" + std::to_string(id.value())).c_str(), node(id), timeline_);
        lockstep_ = true;
        timeline_.keep_history(false);
        timeline_.outside().with_any_event();
        if (CoreDriver* const core = node(id).core()) core->keep_to_pins();
    }
    return *pins;
}

void Machine::InterruptLine::move(bool level) {
    EXPECTS(machine_.interrupt_master_.has_value(), "machine.interrupt.no_master");
    machine_.timeline_.post(machine_.timeline_.now(), machine_.interrupt_master_->value(), *this, level ? 1 : 0);
}

void Machine::InterruptLine::fire(std::uint32_t level) {
    for (std::size_t i = 0; i < machine_.node_count(); ++i) {
        if (i == machine_.interrupt_master_->value()) continue;
        machine_.nodes_[i]->event.drive(EventChannel::Source::Line, level != 0);
    }
}

// An action between two parts of a run happens at the Timeline's time. If no outside process needs SystemC's clock at the
// horizon, that clock stays at the Timeline's time too. Otherwise it would be ahead, and waveforms would show later changes too
// late.
void Machine::run_in_lockstep() {
    if (!sc_core::sc_start_of_simulation_invoked()) {
        due_.notify(sc_core::SC_ZERO_TIME);  // the witness sees the beginning too
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    while (true) {
        const SimTime here = systemc_time();
        SimTime next = timeline_.next_time();
        if (next <= horizon_) notify_at(next);
        next = std::min(next, next_of_systemc());
        if (next > horizon_) return;
        if (next > here) sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>((next - here).in_ps())));
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

void Machine::run_until(SimTime horizon) {
    horizon_ = horizon;
    stopped_ = false;
    if (lockstep_ && pins_.empty()) return run_in_lockstep();
    notify_at(timeline_.next_time());
    if (systemc_time() < horizon)
        sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>((horizon - systemc_time()).in_ps())));
    while (timeline_.next_time() <= horizon_) {  // due at the very end of the interval
        notify_at(timeline_.next_time());
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

void Machine::stop_soon() {
    stopped_ = true;
    horizon_ = std::min(horizon_, timeline_.now());
    timeline_.end_soon();
    if (sc_core::sc_is_running()) sc_core::sc_pause();
}

void Machine::earlier_event(SimTime when) {
    if (!pumping_ && sc_core::sc_is_running()) notify_at(when);
}

}  // namespace hw_model
