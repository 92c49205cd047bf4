#include <hw_model/fault_injector.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <hw_model/machine.hpp>

namespace hw_model {

using topologies::Fault;
using topologies::FaultDirection;
using topologies::FaultVerb;

namespace {

LinkTap::Ways ways_of(const Fault& fault) {
    const bool forward = fault.direction != FaultDirection::Backward, backward = fault.direction != FaultDirection::Forward;
    return fault.along ? LinkTap::Ways{forward, backward} : LinkTap::Ways{backward, forward};
}

bool of_packets(const Fault& fault) {
    return topologies::info_of(fault.verb).rate == topologies::FaultRate::PerByte;
}

}  // namespace

topologies::MachineDescription with_less_memory(topologies::MachineDescription machine, const topologies::FaultPlan& plan) {
    for (const Fault& fault : plan.faults) {
        if (fault.verb == FaultVerb::Memory) machine.nodes[fault.node.value()].ram_bytes = fault.ram_bytes;
    }
    return machine;
}

FaultInjector::FaultInjector(const topologies::FaultPlan& plan, Machine& machine) : plan_(plan), machine_(machine) {
    watch_taps();
}

void FaultInjector::watch_taps() {
    for (const std::size_t wire : plan_.wires()) {
        if (LinkTap* tap = machine_.tap(wire)) tap->set_witness(this);
    }
}

FaultInjector::~FaultInjector() {
    for (const std::size_t wire : plan_.wires()) {
        if (LinkTap* tap = machine_.tap(wire)) tap->set_witness(nullptr);
    }
}

void FaultInjector::arm(SimTime limit) {
    limit_ = limit;
    arm_added();
}

void FaultInjector::arm_added() {
    const std::size_t count = plan_.faults.size();
    begun_.resize(count);
    slowing_.resize(count);
    tallies_.resize(count);
    noted_.resize(count);
    watch_taps();
    for (std::size_t i = std::exchange(armed_, count); i < count; ++i) {
        const Fault& fault = plan_.faults[i];
        if (fault.on) machine_.timeline().outside().with_any_event();
        if (fault.at) {
            post(i, Begin, *fault.at);
        } else if (fault.verb == FaultVerb::Memory || (fault.rate && of_packets(fault) && !fault.on)) {
            begin(i);
        } else if (fault.rate && !of_packets(fault)) {
            SeededStream stream(plan_.seed, i);
            const double seconds = std::min(stream.exponential() / *fault.rate, 1e6);  // 11 days are never
            post(i, Begin, machine_.timeline().now() + SimTime::ps(static_cast<std::int64_t>(seconds * 1e12)));
        }
    }
}

void FaultInjector::post(std::size_t fault, What what, SimTime when) {
    if (when > limit_) return;
    machine_.timeline().outside().expect(when);
    // Ranks after the nodes and the host among the events of that time.
    machine_.timeline().post(std::max(when, machine_.timeline().now()), machine_.host().value() + 1U, *this,
                             static_cast<std::uint32_t>(fault * 2 + what));
}

void FaultInjector::trigger(const topologies::FaultEvent& step) {
    for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
        const auto& on = plan_.faults[i].on;
        if (!on || begun_[i] || on->task != step.task || on->step != step.step) continue;
        if ((on->node && on->node != step.node) || (on->subtask && on->subtask != step.subtask)) continue;
        begun_[i] = true;
        post(i, Begin, machine_.timeline().now());
    }
}

void FaultInjector::fire(std::uint32_t what) {
    if (what % 2 == Begin) {
        begin(what / 2);
    } else {
        end(what / 2);
    }
}

void FaultInjector::begin(std::size_t number) {
    const Fault& fault = plan_.faults[number];
    const SimTime now = machine_.timeline().now();
    begun_[number] = true;
    if (fault.until && *fault.until <= now) return;  // its moment came too late
    if (!of_packets(fault)) note(number, std::nullopt, false);
    if (fault.verb == FaultVerb::Miswire) {
        machine_.link_switch(fault.way.which).stick(fault.way.way, std::optional(fault.to));
    } else if (topologies::info_of(fault.verb).target == topologies::FaultTarget::Node) {
        begin_at_node(number);
    } else {
        begin_at_wire(number);
    }
    if (fault.until) post(number, End, *fault.until);
    if (fault.duration) post(number, End, now + *fault.duration);
}

void FaultInjector::begin_at_node(std::size_t number) {
    const Fault& fault = plan_.faults[number];
    Node& node = machine_.node(fault.node);
    if (fault.verb == FaultVerb::Die) node.crash();
    if (fault.verb == FaultVerb::Halt) node.processor.halt();
    if (fault.verb != FaultVerb::Slow) return;
    ++slowing_[number];
    set_slowness(fault.node);
}

// When several overlap, the worst counts.
void FaultInjector::set_slowness(vocabulary::NodeId node) {
    double factor = 1;
    for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
        if (slowing_[i] > 0 && plan_.faults[i].node == node) factor = std::max(factor, plan_.faults[i].factor);
    }
    machine_.node(node).processor.set_slowness(factor);
}

void FaultInjector::begin_at_wire(std::size_t number) {
    const Fault& fault = plan_.faults[number];
    LinkTap* tap = machine_.tap(fault.wire);
    if (tap == nullptr) return;  // the wire leads nowhere
    const std::uint64_t seed = SeededStream(plan_.seed, number).next();
    if (fault.verb == FaultVerb::Flip) {
        tap->flip(number, ways_of(fault), fault.rate, seed);
    } else if (fault.verb == FaultVerb::LoseAcknowledge) {
        tap->lose_acknowledges(number, ways_of(fault), fault.rate, seed);
    } else {
        tap->block(number, ways_of(fault));
    }
}

void FaultInjector::end(std::size_t number) {
    const Fault& fault = plan_.faults[number];
    if (!of_packets(fault) || tallies_[number].struck > 0) note(number, std::nullopt, true);
    if (fault.verb == FaultVerb::Slow) {
        --slowing_[number];
        set_slowness(fault.node);
    } else if (LinkTap* tap = machine_.tap(fault.wire)) {
        tap->end(number);
    }
}

void FaultInjector::hit(const LinkTap&, const LinkTap::Hit& hit) {
    const LinkMessage& from = *hit.message;
    FaultStrike::Message message{.effect = hit.effect,
                                 .from_a = hit.way == LinkTap::Along,
                                 .account = from.account,
                                 .channel = from.channel,
                                 .bytes = from.wire_bytes,
                                 .position = hit.position};
    message.header_bytes = std::min(from.header.size(), message.header.size());
    if (message.header_bytes > 0) std::memcpy(message.header.data(), from.header.data(), message.header_bytes);
    note(hit.fault, message, false);
}

void FaultInjector::note(std::size_t fault, const std::optional<FaultStrike::Message>& message, bool ended) {
    FaultTally& tally = tallies_[fault];
    const SimTime now = machine_.timeline().now();
    if (ended) {
        tally.ended = now;
    } else {
        if (!tally.first) tally.first = now;
        if (message) ++tally.messages;
        if (!message || of_packets(plan_.faults[fault])) ++tally.struck;
    }
    if (noted_[fault]++ < most_noted) strikes_.push_back({fault, now, ended, message});
}

}  // namespace hw_model
