// The list `phases` of a scenario: several farms one after the other on one machine, each on a network of its own.
#include <utility>

#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <topologies/rewiring.hpp>

#include <scenario/wanted_network.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"

namespace scenario {
namespace {

using topologies::MachineDescription;
using topologies::Rewiring;
using topologies::YamlValue;
using vocabulary::InputError;

// Runs the function, and lets its messages point at the value.
template <class Function>
auto told_at(const YamlValue& value, Function function) {
    try {
        return function();
    } catch (const InputError& error) {
        const std::string what = error.where().file;
        throw InputError(value.where(),
                         what == value.where().file || what.empty() ? error.message() : what + ": " + error.message());
    }
}

// "n0.1 - n3.2", "host - n0.0"
std::pair<topologies::WireEnd, topologies::WireEnd> link_of(const MachineDescription& machine, const YamlValue& value) {
    const std::string text = value.text();
    const std::size_t dash = text.find(" - ");
    if (dash == std::string::npos) value.fail("'" + text + "' names no link; write two ends, as in 'n0.1 - n3.2'");
    return {topologies::link_end_named(machine, text.substr(0, dash), value.where()),
            topologies::link_end_named(machine, text.substr(dash + 3), value.where())};
}

// The whole network, link by link.
Rewiring network_of_links(const MachineDescription& now, const YamlValue& links) {
    MachineDescription bare = now;
    for (topologies::SwitchDescription& one : bare.switches) one.connections.clear();
    for (const YamlValue& item : links.items()) {
        const auto [a, b] = link_of(now, item);
        bare = told_at(
            item, [&, from = a, to = b] { return topologies::rewired(bare, topologies::rewiring_with_link(bare, from, to)); });
    }
    std::vector<topologies::Connections> becomes;
    for (const topologies::SwitchDescription& one : bare.switches) becomes.push_back(one.connections);
    return topologies::rewiring(now, becomes);
}

}  // namespace

void read_network(Scenario& phase, const Given& given, const YamlValue& item) {
    const auto value = item.find("network");
    phase.network_name = "as before";
    if (!value) return;
    if (phase.machine.switches.empty()) {
        value->fail("the machine '" + phase.machine.name +
                    "' has no switches, so its network cannot change; take a machine with crossbars, or leave 'network' out");
    }
    if (!value->is_scalar()) {
        phase.network_name = "links of its own";
        phase.network = network_of_links(phase.machine, *value);
    } else {
        const Given text = given.part(*value);
        phase.network_name = value->text();
        const bool shape = phase.network_name.find(':') != std::string::npos && !text.names_a_file();
        const WantedNetwork wanted = wanted_network(shape ? phase.network_name : text.file(phase, "network"), value->where());
        phase.network = told_at(*value, [&] {
            return topologies::rewiring_to(phase.machine, wanted.machine,
                                           {.link_bits_per_second = wanted.link_bits_per_second});
        });
    }
    phase.machine = topologies::rewired(std::move(phase.machine), phase.network);
}

void check_reach(const Scenario& phase, const MachineDescription& first, const YamlValue& item) {
    const topologies::Network network(phase.machine), boots(first);
    const auto hops = network.hops(network.host()), booted = boots.hops(boots.host());
    std::vector<vocabulary::NodeId> dead;
    for (std::size_t i = 0; i < phase.machine.nodes.size(); ++i) {
        if (hops[i] && !booted[i]) dead.push_back(vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(i)));
    }
    if (!dead.empty()) {
        item.fail("the network of this phase has " + topologies::node_list(dead) +
                  ", which the first phase's network does not reach, so they have not booted; give the first phase a network "
                  "that has them");
    }
    for (const vocabulary::NodeId node : phase.farm.members()) {
        if (node.value() < hops.size() && hops[node.value()]) continue;
        item.fail("the farm uses " + topologies::node_name(node) +
                  ", which the host cannot reach on the network of this phase; give it a larger network, or fewer nodes");
    }
}

void check_beside_phases(const Sources& sources, const Given& phases, bool files) {
    constexpr std::pair<const char*, const char*> refused[] = {
        {"faults", "a fault plan counts from one farm's begin and end"},
        {"fault", "a fault counts from one farm's begin and end"},
        {"reconfigure", "the host sets the switches between the phases, by their 'network'"},
        {"files", "programs of several farms would write the same files"},
        {"application.bugs", "a bug list names tasks of one farm; put it into the 'application' of a phase"}};
    for (const auto& [name, why] : refused) {
        if (const auto given = sources.find(name)) given->fail(std::string("does not go with 'phases': ") + why);
    }
    if (const auto value = sources.section("halo"))
        value->fail("'halo' stands beside 'phases', which are farms; leave one of the two out");
    for (const char* section : {"farm", "application", "monitor"}) {
        if (const auto value = sources.section(section))
            value->fail(std::string("'") + section +
                        "' stands beside 'phases', and each phase has its own; move it into a phase");
    }
    if (files) phases.fail("'--faults' and '--bugs' do not go with phases, which are several farms; leave them out");
}

}  // namespace scenario
