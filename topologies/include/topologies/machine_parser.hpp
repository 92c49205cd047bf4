// Text of a machine file -> MachineDescription (docs/formats/machine_file.md). Strict: an unknown key, a fifth link, a way used
// twice or a wire that ends nowhere throws vocabulary::InputError. The error has file, line and column, the nearest known name
// and what to do.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>
#include <topologies/strict_yaml.hpp>

namespace topologies {

MachineDescription parse_machine(const std::string& text, const std::string& file_name);
MachineDescription read_machine(const std::string& path);

// Demands of a machine file on the machine that it is solved onto, besides its network: the key `asks`, or the file's values.
struct Asked {
    bool ram = true, clock = true, link_speed = true;
    bool all() const { return ram && clock && link_speed; }
};
struct WantedMachine {
    MachineDescription machine;
    Asked asked;
};
WantedMachine read_wanted_machine(const std::string& path);
// The machine with other connections of some switches. `value` is a map of switch names to lists as in the key `connect`; each
// is the whole new setting of its switch. Nodes may be out of the host's reach then, but every connection must be part of a
// path.
MachineDescription with_connections(const MachineDescription& machine, const YamlValue& value);

}  // namespace topologies
