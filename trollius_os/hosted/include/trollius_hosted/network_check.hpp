// Proof of a solution. The machine's switches begin in reset state and are programmed over the host's control connections as
// its description says. The nodes look for their neighbours, and the network they find is compared with the wanted one. Used by
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
    std::size_t control_lines = 0;     // with a switch on them
    std::size_t nodes = 0, edges = 0;  // wanted; a wire to the host is an edge
    // One sentence each: switches that are not as they were set, then edges that are found but not wanted, or wanted but not
    // found. Empty: the nodes found exactly the wanted network.
    std::vector<std::string> differences;
};

// Node k of `wanted` is node k of the machine, whichever links an edge takes. No other edge may be found, but for soldered
// wires to nodes that `wanted` does not have. For a machine that runs nothing yet. Cost: milliseconds on 75 nodes.
NetworkCheck check_network(hw_model::Machine& machine, const topologies::MachineDescription& wanted);

std::string network_check_text(const NetworkCheck& check);  // a sentence, or it and the differences; ends with a line feed
std::string network_check_json(const NetworkCheck& check);  // key `verified` of `topology solve --json`

}  // namespace trollius_hosted
