// The list `reconfigure` of a scenario: orders that re-program switches in mid-run.
#include <algorithm>

#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"

namespace scenario {
namespace {

using topologies::MachineDescription;
using topologies::YamlValue;

// Reads a machine that may differ from the scenario's only in its connections.
MachineDescription machine_with_same_wires(const Scenario& scenario, const Given& file, const std::string& path) {
    MachineDescription other = topologies::read_machine(path);
    const MachineDescription& own = scenario.machine;
    const auto fail = [&](const std::string& what) {
        file.fail("'" + other.name + "' has other " + what + " than '" + own.name +
                  "'; a reconfiguration changes the connections of switches and nothing else");
    };
    if (other.nodes != own.nodes) fail("nodes");
    if (other.link_bits_per_second != own.link_bits_per_second) fail("link speed");
    const auto same = [](const auto& a, const auto& b) {
        return a.name == b.name && a.link_bits_per_second == b.link_bits_per_second && a.revision == b.revision;
    };
    if (!std::equal(own.switches.begin(), own.switches.end(), other.switches.begin(), other.switches.end(), same))
        fail("switches");
    if (!std::is_permutation(own.wires.begin(), own.wires.end(), other.wires.begin(), other.wires.end())) fail("wires");
    if (topologies::canonical_machine(other).weights != topologies::canonical_machine(own).weights ||
        other.weight != own.weight)
        fail("weights");
    return other;
}

}  // namespace

void read_reconfigurations(Scenario& scenario, const Given& given) {
    if (scenario.machine.switches.empty())
        given.fail("the machine has no switch that the host could program; take one with switches, or remove this key");
    MachineDescription now = scenario.machine;
    for (const YamlValue& item : given.value().items()) {
        item.only_keys({"at", "connect", "to"});
        const auto connect = item.find("connect"), to = item.find("to");
        if (static_cast<bool>(connect) == static_cast<bool>(to)) {
            item.fail("a reconfiguration is either 'connect: {x0: [0 - 3]}' or 'to: MACHINE.yaml'; give one of the two");
        }
        topologies::Reconfiguration order{.at = item.at("at").time(), .settings = {}};
        if (!scenario.reconfigurations.empty() && order.at < scenario.reconfigurations.back().at)
            item.at("at").fail("this one comes before the one above; put them in order of time");
        MachineDescription next;
        if (connect) {
            next = topologies::with_connections(now, *connect);
        } else {
            const Given file = given.part(*to);
            next = machine_with_same_wires(scenario, file, file.file(scenario, "machine"));
        }
        for (std::size_t i = 0; i < next.switches.size(); ++i) {
            if (next.switches[i].connections == now.switches[i].connections && to) continue;
            if (connect && !connect->find(next.switches[i].name)) continue;
            order.settings.push_back(
                {vocabulary::SwitchId(static_cast<vocabulary::SwitchId::value_type>(i)), next.switches[i].connections});
        }
        scenario.reconfigurations.push_back(std::move(order));
        now = next;
    }
}

}  // namespace scenario
