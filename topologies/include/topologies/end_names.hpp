// The written names of the parts of a machine, as machine files, messages and reports use them.
#pragma once

#include <string>
#include <vector>

#include <topologies/machine_description.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

std::string node_name(NodeId node);                                           // "n3"
std::string end_name(const MachineDescription& machine, const WireEnd& end);  // "n3.1", "x0.17", "host", "host.2"
// The inverse, for an end that a link can have: "n3.1", "host", "host.2". Throws vocabulary::InputError at `where` for anything
// else.
WireEnd link_end_named(const MachineDescription& machine, const std::string& name, const vocabulary::SourcePosition& where);
// Ids in rising order, runs of three or more shortened: "n0, n2 to n5 and n7".
std::string node_list(const std::vector<NodeId>& nodes);
// A letter, then letters, digits and _ (for a machine also . and -), not "host", not like a node and not a YAML null.
bool is_machine_name(const std::string& name);
bool is_switch_name(const std::string& name);

}  // namespace topologies
