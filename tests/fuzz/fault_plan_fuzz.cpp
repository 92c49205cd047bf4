// Fault plans for a machine with a switch and for one without.
#include <topologies/fault_plan.hpp>
#include <topologies/machine_parser.hpp>

#include "fuzz_target.hpp"

namespace {

const topologies::MachineDescription& machine(bool switched) {
    static const topologies::MachineDescription machines[] = {
        topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8.yaml"),
        topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_c004.yaml")};
    return machines[switched ? 1 : 0];
}

}  // namespace

FUZZ_TARGET(fault_plan, input) {
    const auto& plant = machine(fuzz::choose(input, 2) == 0);
    const topologies::FaultPlan plan = topologies::parse_fault_plan(std::string(input), "plan.faults", plant);
    for (const topologies::Fault& fault : plan.faults) {
        fuzz::require(!topologies::fault_text(fault).empty(), "a fault has no text");
        fuzz::require(fault.wire < plant.wires.size() || plant.wires.empty(), "a fault is on a wire that is not there");
    }
    plan.wires();
}
