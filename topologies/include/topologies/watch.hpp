// Watch: a signal of a machine that a run writes as a waveform.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

// One signal, or the two directions of a link.
struct Watch {
    enum class Kind : std::uint8_t { Link, Way, Event, Ack, Error, Halted, Busy };
    Kind kind = Kind::Link;
    std::uint16_t where = 0;  // node, the host after the last; of a Way the switch
    std::uint8_t number = 0;  // number of a link or a way
    friend auto operator<=>(const Watch&, const Watch&) = default;
};

// From a list as "n0.1,n3.error,host.0,x0.5,n2.busy". Throws vocabulary::InputError when there is no such node, switch, link or
// signal; it names the nearest. It also throws when one is given twice. The column is that of the name in the list.
std::vector<Watch> parse_watches(const std::string& list, const MachineDescription& machine, const std::string& where);

}  // namespace topologies
