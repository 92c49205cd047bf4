// Values of an axis as numbers with a unit, and units of measures by the names that the outputs give them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace study_pictures {

// Plain numbers ("1.5"), times ("10ms"), sizes ("4MiB") and frequencies ("20MHz"). All values must be of one kind.
struct NumberedValues {
    std::vector<double> numbers;  // in `unit`, in the order of the values
    std::string unit;             // "ms", "KiB", "MHz"; empty: none
};
// Empty when some value is no number, or the values are of different kinds: then they are names. A time has the longest unit in
// which no value but 0 is below 1; sizes and frequencies likewise.
std::optional<NumberedValues> numbered(const std::vector<std::string>& values);

// By the end of the path: "execution_us" is in us, "farm.rate.steady_per_s" in 1/s, "nodes.3.busy_share" is a share. Empty: not
// known, as for expressions.
std::string unit_of(const std::string& source);
// "rate (1/s)"; the name alone without a unit.
std::string label_of(const std::string& name, const std::string& unit);

}  // namespace study_pictures
