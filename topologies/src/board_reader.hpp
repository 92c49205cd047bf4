// The key `boards` of a machine file: which nodes and switches are on which printed circuit board.
#pragma once

#include <topologies/machine_checks.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/strict_yaml.hpp>

#include "end_parser.hpp"

namespace topologies {

// Fills the machine's boards, and where each word of theirs stands. Throws vocabulary::InputError for what one line says wrong;
// machine_checks.hpp checks what the lines say together.
void read_boards(const YamlValue& value, const KnownEnds& known, MachineDescription& machine, MachinePlaces& places);

}  // namespace topologies
