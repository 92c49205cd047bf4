#include <hw_model/host_port.hpp>

namespace hw_model {
namespace {

constexpr std::uint64_t host_ram = std::uint64_t{64} << 20;  // as large as a workstation's

NodeConfig host_config(vocabulary::NodeId id, const std::array<bool, 4>& wired, SimTime least_byte,
                       const std::array<LinkUse, 4>& uses) {
    return {.id = id,
            .ram_bytes = host_ram,
            .wired = wired,
            .least_byte = least_byte,
            .places = Arena::most_places_of_host,
            .uses = uses,
            .core = {}};
}

// Its costs are those of a workstation: the memory of the nodes does not change them.
ProcessorTiming of_host(ProcessorTiming timing) {
    timing.code_percent = timing.code_percent_stated;
    return timing;
}

}  // namespace

HostPort::HostPort(sc_core::sc_module_name name, vocabulary::NodeId id, const std::array<bool, 4>& wired,
                   const ProcessorTiming& processor_timing, const LinkTimings& link_timings, SimTime least_byte,
                   Timeline& timeline, const std::array<LinkUse, 4>& uses)
    : Node(name, host_config(id, wired, least_byte, uses), of_host(processor_timing), link_timings, timeline) {}

}  // namespace hw_model
