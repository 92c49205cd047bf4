// Network descriptions of Trollius: files named bnail.TOPOLOGY (thesis, section 6.1: "spread -Sc bnail.btree_32.02"). No such
// file has come down to us; the words are those of the original's change log, the lines are ours (docs/formats/bnail_file.md).
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace topologies {

// True for a file whose name begins with "bnail.". read_machine() reads it as one.
bool is_bnail_name(const std::string& path);
// Throws vocabulary::InputError with file, line and column. The links must be symmetrical, at most four a node, none used
// twice, and the boot order must be one.
MachineDescription parse_bnail(const std::string& text, const std::string& file_name);

}  // namespace topologies
