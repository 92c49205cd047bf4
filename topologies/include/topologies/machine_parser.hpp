// Text of a machine file -> MachineDescription (docs/formats/machine_file.md). Strict: an unknown key, a fifth link, a way used
// twice or a wire that ends nowhere throws vocabulary::InputError. The error gives file, line and column, the nearest known
// name and the remedy.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>
#include <topologies/strict_yaml.hpp>

namespace topologies {

MachineDescription parse_machine(const std::string& text, const std::string& file_name);
MachineDescription read_machine(const std::string& path);  // a machine file, or one of bnail_file.hpp

// The properties, besides its network, that a wanted machine demands of its target: the key `asks`, or the file's values.
struct Asked {
    bool ram = true, clock = true, link_speed = true;
    bool all() const { return ram && clock && link_speed; }
};
struct WantedMachine {
    MachineDescription machine;
    Asked asked;
};
WantedMachine read_wanted_machine(const std::string& path);
// A copy of the machine with new connections for some switches. `value` maps switch names to lists as in the key `connect`;
// each list is the whole new setting of its switch. The host may lose nodes, but every connection must be part of a path.
MachineDescription with_connections(const MachineDescription& machine, const YamlValue& value);

}  // namespace topologies
