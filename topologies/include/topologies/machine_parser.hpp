// Text of a machine file -> MachineDescription (docs/formats/machine_file.md). Strict: an unknown key, a fifth link, a way used
// twice or a wire that ends nowhere throws vocabulary::InputError with file, line and column, the nearest known name and what
// to do.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace topologies {

MachineDescription parse_machine(const std::string& text, const std::string& file_name);
MachineDescription read_machine(const std::string& path);

}  // namespace topologies
