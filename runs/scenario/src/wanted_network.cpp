#include <scenario/wanted_network.hpp>

#include <topologies/link_speeds.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <vocabulary/is_file.hpp>

#include "scenario_parts.hpp"

namespace scenario {

WantedNetwork wanted_network(const std::string& text, const vocabulary::SourcePosition& where) {
    topologies::WantedMachine wanted;
    if (text.find(':') != std::string::npos && !vocabulary::is_file(text)) {
        wanted = {machine_of_shape(text, where), {.ram = false, .clock = false, .link_speed = false}};
    } else if (!vocabulary::is_file(text)) {
        throw vocabulary::InputError(
            where, "'" + text + "' is neither a machine file nor a shape; name a file, or a shape as 'ring:16'");
    } else {
        wanted = topologies::read_wanted_machine(text);
    }
    topologies::check_bootable(wanted.machine, where);
    for (topologies::NodeDescription& node : wanted.machine.nodes) {
        if (!wanted.asked.clock) node.clock_hz = topologies::least_clock_hz;
        if (!wanted.asked.ram) node.ram_bytes = topologies::least_ram_bytes;
    }
    const std::int64_t speed = wanted.asked.link_speed ? topologies::wire_speeds(wanted.machine).back() : 0;
    return {std::move(wanted.machine), speed};
}

}  // namespace scenario
