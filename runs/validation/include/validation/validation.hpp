// Validation: figures of the model beside published figures of the hardware and of Trollius. Each is measured on the Machine,
// Processor, links and kernel of the simulator with the given costs. Each group of figures runs in a process of its own, two
// at a time (SystemC elaborates once a process). Cost: about a second for all.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <topologies/cost_table.hpp>

namespace validation {

// The conclusion that a good figure allows.
enum class Proof : std::uint8_t {
    Independent,  // the model was built without the published figure, so it is right there
    Fitted,       // a cost was chosen to give this figure, which proves only the choice
    Rule,         // both figures follow from the same rules: the model obeys them
    Charged,      // the figure is a charged cost: it was charged
};
const char* proof_text(Proof proof);  // "independent", "fitted", "rule", "charged"

struct Figure {
    std::string name;  // "link_20.one_way"; the group is before the dot
    std::string what, unit;
    double least = 0, most = 0;  // published; equal unless the source gives a range
    double tolerance_percent = 0;
    std::string reason;  // for the tolerance
    topologies::Provenance provenance = topologies::Provenance::Assumed;
    std::string source;  // of the published value
    Proof proof = Proof::Rule;
    double model = std::numeric_limits<double>::quiet_NaN();

    // Deviation of the model from the published value, or from the range; 0 inside it. NaN when the measurement gave no value.
    double error_percent() const;
    bool good() const;  // false without a measured value
};

// Names of all figures, in the order of the table.
std::vector<std::string> validation_names();

// `only`: a figure or a group; empty: all. Throws InputError for any other name, and vocabulary::HostError when the host has
// no room for another process. A failed measurement gives figures without a value, and prints the reason on standard error.
std::vector<Figure> validate(const topologies::CostTable& costs, const std::string& only);

std::string validation_text(const std::vector<Figure>& figures);  // a table, and a line for each figure that is not good
std::string validation_json(const std::vector<Figure>& figures);  // schema magicwire.validate/1

// The standard costs with some changed ("link.data_packet", "13"). Throws InputError as read_scenario() does.
topologies::CostTable standard_costs_with(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace validation
