// Validation: the model's figures beside published figures of the hardware and of Trollius. Each is measured on the real
// Machine, Processor, links and kernel with the costs given. Each group of figures runs in a process of its own, two at a time
// (SystemC elaborates once a process). Cost: about a second for all.
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
    Independent,  // nothing in the model was made from the published figure: the model is right there
    Fitted,       // a number of the cost table was chosen to give it: it shows only that the choice was made
    Rule,         // published and model follow from the same rules: the model carries them out
    Charged,      // it is a cost that was just charged: it was charged
};
const char* proof_text(Proof proof);  // "independent", "fitted", "rule", "charged"

struct Figure {
    std::string name;  // "link_20.one_way"; the part before the dot is the group
    std::string what, unit;
    double least = 0, most = 0;  // published; equal unless the source gives a range
    double tolerance_percent = 0;
    std::string reason;  // of the tolerance
    topologies::Provenance provenance = topologies::Provenance::Assumed;
    std::string source;  // of the published value
    Proof proof = Proof::Rule;
    double model = std::numeric_limits<double>::quiet_NaN();

    // How far the model lies from the published value, or outside the range; 0 inside it. Not a number when the measurement
    // gave none.
    double error_percent() const;
    bool good() const;  // false for a measurement that gave nothing
};

// Names of all figures, in the order of the table.
std::vector<std::string> validation_names();

// `only`: a figure or a group; empty: all. Throws InputError for any other name, and vocabulary::HostError when the host has no
// room for another process. A measurement that fails gives figures without a value, and the reason goes to standard error.
std::vector<Figure> validate(const topologies::CostTable& costs, const std::string& only);

std::string validation_text(const std::vector<Figure>& figures);  // a table, and a line for each figure that is not good
std::string validation_json(const std::vector<Figure>& figures);  // schema magicwire.validate/1

// The standard costs with some changed ("link.data_packet", "13"). Throws InputError as read_scenario() does.
topologies::CostTable standard_costs_with(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace validation
