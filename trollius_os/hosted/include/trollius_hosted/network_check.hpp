// Verifies a solution. The switches start in reset state, and the host programs them over its control connections as the
// description says. The nodes discover their neighbours, and the network found is compared with the wanted one. Used by
// `magicwire topology solve --verify`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hw_model/machine.hpp>
#include <hw_model/switch_program.hpp>
#include <topologies/machine_description.hpp>

namespace trollius_hosted {

struct NetworkCheck {
    hw_model::ProgrammedSwitches programmed;
    std::size_t control_lines = 0;     // control connections that have a switch
    std::size_t nodes = 0, edges = 0;  // size of the wanted network; a wire to the host is an edge
    // One sentence each: switches not set as ordered, then edges found but not wanted, or wanted but not found. Empty: the
    // nodes found exactly the wanted network.
    std::vector<std::string> differences;
};

// Node k of `wanted` is node k of the machine; an edge may take any links. Extra edges are differences, except soldered wires
// to nodes outside `wanted`. For a machine that runs nothing yet. Cost: milliseconds on 75 nodes.
NetworkCheck check_network(hw_model::Machine& machine, const topologies::MachineDescription& wanted);

std::string network_check_text(const NetworkCheck& check);  // one sentence, then any differences; ends with a line feed
std::string network_check_json(const NetworkCheck& check);  // key `verified` of `topology solve --json`

}  // namespace trollius_hosted
