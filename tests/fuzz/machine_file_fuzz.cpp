// Machine files, shapes, lists of watches, and connections that replace others. What is read is written, and read again.
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/shapes.hpp>
#include <topologies/watch.hpp>

#include "fuzz_target.hpp"

namespace {

using topologies::MachineDescription;

void written_and_read(const MachineDescription& machine) {
    const std::string text = topologies::write_machine(machine);
    fuzz::reads_again([&] {
        const MachineDescription again = topologies::parse_machine(text, "written.yaml");
        fuzz::require(again == topologies::canonical_machine(machine), "the machine read again is another");
        fuzz::require(topologies::write_machine(again) == text, "the machine written again is another");
    });
}

const MachineDescription& switched() {
    static const MachineDescription machine =
        topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_c004.yaml");
    return machine;
}

}  // namespace

FUZZ_TARGET(machine_file, input) {
    switch (fuzz::choose(input, 4)) {
        case 1:
            return written_and_read(topologies::make_shape(std::string(input)));
        case 2:
            topologies::parse_watches(std::string(input), switched(), "--watch");
            return;
        case 3: {
            const auto value = topologies::YamlValue::parse(std::string(input), "connect.yaml");
            MachineDescription changed = topologies::with_connections(switched(), value);
            changed.unreachable_allowed = true;  // as it is in mid-run
            return written_and_read(changed);
        }
        default:
            break;
    }
    const MachineDescription machine = topologies::parse_machine(std::string(input), "machine.yaml");
    written_and_read(machine);
    topologies::check_bootable(machine, {"machine.yaml", 0, 0});
}
