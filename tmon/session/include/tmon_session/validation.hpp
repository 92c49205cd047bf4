// Validation: what the model gives beside what was published of the hardware and of Trollius. Each figure is measured on the
// real Machine, Processor, links and kernel with the costs given, each group of them in a process of its own, two at a
// time (SystemC elaborates once a process). Cost: about a second for all.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <topologies/cost_table.hpp>

namespace tmon_session {

// What it proves that a figure is right.
enum class Proof : std::uint8_t {
    Independent,  // nothing in the model was made from what was published: that the model is right there
    Fitted,       // a number of the cost table was chosen so that it comes out: nothing more than that it was
    Rule,         // published and model follow from the same rules: that the model carries them out
    Charged,      // it is a cost that was just charged: that it was charged
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
    bool good() const;  // a measurement that gave nothing is not
};

// Names of all figures, in the order of the table.
std::vector<std::string> validation_names();

// Throws InputError for a `only` that is neither a figure's name nor a group's; empty: all. Throws std::runtime_error when the
// host has no room for another process. A measurement that fails gives figures without a value, and is told on standard error.
std::vector<Figure> validate(const topologies::CostTable& costs, const std::string& only);

std::string validation_text(const std::vector<Figure>& figures);  // a table, and a line for each figure that is not good
std::string validation_json(const std::vector<Figure>& figures);  // schema magicwire.validate/1

// The standard costs with some changed ("link.data_packet", "13"). Throws InputError as read_scenario() does.
topologies::CostTable standard_costs_with(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace tmon_session
