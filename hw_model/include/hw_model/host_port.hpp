// HostPort: the edge of the machine. The host computer is a Node with up to four links, its connections to the nodes. The
// host's adaptor limits their speed: `least_byte` is the least time a byte takes. The host has as much memory as a workstation,
// and its clock has no offset or drift.
#pragma once

#include <hw_model/node.hpp>

namespace hw_model {

class HostPort : public Node {
public:
    HostPort(sc_core::sc_module_name name, vocabulary::NodeId id, const std::array<bool, 4>& wired,
             const ProcessorTiming& processor_timing, const LinkTimings& link_timings, SimTime least_byte, Timeline& timeline,
             const std::array<LinkUse, 4>& uses = {});
};

}  // namespace hw_model
