// The parts of a machine that a fault can name: nodes, the ends of wires, links, ways of switches. Throws
// vocabulary::InputError at the offending letters, with the nearest name that the machine has.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <topologies/machine_description.hpp>
#include <topologies/network.hpp>
#include <topologies/strict_yaml.hpp>

namespace topologies {

struct CableOfLink {
    std::size_t wire = 0;  // index into MachineDescription::wires
    bool along = true;     // the end written first is the wire's end a
};

class FaultParts {
public:
    explicit FaultParts(const MachineDescription& machine);  // the machine must outlive it

    NodeId node(const YamlValue& value) const;
    // "n0.1 - n1.0": the two ends of a cable, or of a path through switches, which is struck at the first end's cable.
    CableOfLink link(const YamlValue& value) const;
    SwitchWay way(const YamlValue& value) const;
    CableOfLink cable_of(const SwitchWay& way, const YamlValue& value) const;  // `along`: from the way into the wire

private:
    struct Place {
        std::size_t wire;
        bool first;
    };
    const Place& end(const YamlValue& value, const std::string& name, std::size_t offset) const;
    std::string other_end_of(const WireEnd& end) const;

    const MachineDescription& machine_;
    Network network_;
    std::map<std::string, Place> ends_;
};

}  // namespace topologies
