#include "fault_session.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <hw_model/machine.hpp>
#include <trek_kernel/task_on_wire.hpp>
#include <trollius_os/accounts.hpp>

#include <text/time_text.hpp>

namespace session {

using topologies::FaultStep;
using vocabulary::NodeId;

topologies::MachineDescription machine_with_faults(const scenario::Scenario& scenario) {
    return scenario.faults ? hw_model::with_less_memory(scenario.machine, *scenario.faults) : scenario.machine;
}

std::vector<std::size_t> tapped_wires(const scenario::Scenario& scenario) {
    return scenario.faults ? scenario.faults->wires() : std::vector<std::size_t>();
}

void FaultTrigger::on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime) {
    if (injector_ != nullptr)
        injector_->trigger({what.task, what.subtask, what.node, what.sent ? FaultStep::Send : FaultStep::Receive});
}

void FaultTrigger::on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime) {
    if (injector_ != nullptr && what.process == trek_kernel::UserProcess::Compute) {
        const bool begins = what.moment == trek_kernel::Moment::Begin;
        injector_->trigger({what.task, what.subtask, what.node, begins ? FaultStep::Start : FaultStep::Finish});
    }
}

std::optional<trek_kernel::TaskOnWire> task_of(const hw_model::FaultStrike::Message& message) {
    if (message.channel != hw_model::Channel::Circuit || message.account != trollius_os::accounts::application)
        return std::nullopt;
    return trek_kernel::task_on_wire(std::span(message.header).first(message.header_bytes));
}

namespace {

// The neighbours whose link leads over the wire; none for a cable between two switches.
std::optional<std::pair<NodeId, NodeId>> neighbours_over(const topologies::Wire& wire, const topologies::Network& network) {
    for (const topologies::WireEnd& end : {wire.a, wire.b}) {
        NodeId node = network.host();
        vocabulary::LinkNo link;
        if (const auto* at = std::get_if<topologies::NodeLink>(&end)) {
            node = at->node;
            link = at->link;
        } else if (const auto* host = std::get_if<topologies::HostEnd>(&end)) {
            link = host->link;
        } else {
            continue;
        }
        if (const auto& far = network.neighbour(node, link)) return std::pair(node, far->node);
    }
    return std::nullopt;
}

// A cable between two switches: every path through both.
std::vector<std::pair<NodeId, NodeId>> links_over(const topologies::Wire& wire, const topologies::Network& network) {
    if (const auto found = neighbours_over(wire, network)) return {*found};
    const auto* a = std::get_if<topologies::SwitchWay>(&wire.a);
    const auto* b = std::get_if<topologies::SwitchWay>(&wire.b);
    std::vector<std::pair<NodeId, NodeId>> result;
    if (a == nullptr || b == nullptr) return result;
    for (const topologies::Path& path : network.paths()) {
        const auto passes = [&](const topologies::SwitchWay& way) {
            return std::find(path.through.begin(), path.through.end(), way.which) != path.through.end();
        };
        const auto* from = std::get_if<topologies::NodeLink>(&path.a);
        const auto* to = std::get_if<topologies::NodeLink>(&path.b);
        if (from != nullptr && to != nullptr && passes(*a) && passes(*b)) result.emplace_back(from->node, to->node);
    }
    return result;
}

std::vector<std::pair<NodeId, NodeId>> links_of(const topologies::Fault& fault, const topologies::MachineDescription& machine,
                                                const topologies::Network& network) {
    const topologies::FaultTarget target = topologies::info_of(fault.verb).target;
    if (target == topologies::FaultTarget::Node) return {};
    if (fault.verb != topologies::FaultVerb::Miswire) return links_over(machine.wires[fault.wire], network);
    std::vector<std::pair<NodeId, NodeId>> result;
    for (const topologies::WayNo way : {fault.way.way, fault.to}) {
        const topologies::WireEnd end = topologies::SwitchWay{fault.way.which, way};
        for (const topologies::Wire& wire : machine.wires) {
            if (wire.a != end && wire.b != end) continue;
            const auto found = links_over(wire, network);
            result.insert(result.end(), found.begin(), found.end());
        }
    }
    return result;
}

}  // namespace

void gather_faults(const scenario::Scenario& scenario, const hw_model::Machine& machine,
                   const hw_model::FaultInjector& injector, FaultEffects& effects) {
    effects.tallies = injector.tallies();
    effects.strikes = injector.strikes();
    for (const topologies::Fault& fault : scenario.faults->faults)
        effects.links.push_back(links_of(fault, scenario.machine, machine.network()));
    for (const hw_model::FaultStrike& strike : effects.strikes) {
        if (!strike.message) continue;
        const topologies::Fault& fault = scenario.faults->faults[strike.fault];
        const bool changed = strike.message->effect == hw_model::FaultEffect::ByteChanged;
        effects.lost_on_links.push_back({.when = strike.when,
                                         .cause = fmt::format("{} {}, at {}", changed ? "damaged by" : "on the link:",
                                                              topologies::fault_text(fault), text::time_text(strike.when)),
                                         .fault = strike.fault,
                                         .task = task_of(*strike.message),
                                         .between = neighbours_over(scenario.machine.wires[fault.wire], machine.network())});
    }
}

}  // namespace session
