// The network that a person names for a change of a running machine's switches.
#pragma once

#include <cstdint>
#include <string>

#include <topologies/machine_description.hpp>
#include <vocabulary/source_position.hpp>

namespace scenario {

struct WantedNetwork {
    topologies::MachineDescription machine;  // memory and clock are the least that there are, where it asks for none
    std::int64_t link_bits_per_second = 0;   // least speed of the links; 0: any
};

// `text`: a shape as `topology make` takes it ("ring:16"), or the path of a machine file. A shape that uses all links gets a
// node for the host. An existing file is taken as a file, whatever its name. Throws vocabulary::InputError, at `where` for a
// text that is neither, and for a network without a host.
WantedNetwork wanted_network(const std::string& text, const vocabulary::SourcePosition& where);

}  // namespace scenario
