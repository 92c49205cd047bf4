// The measures of one run, taken from its JSON as `run --json` prints it. Where a study needs them there are more keys:
// `oracle` is the ground truth, and `bill` is the JSON of `overhead` (docs/formats/json_outputs.md). What the commands of the
// study printed is by their names under `commands_key`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sweeps/study.hpp>

namespace sweeps {

// A number, a text, or neither: the run has no such value. Truth is 1 or 0.
struct Value {
    std::optional<double> number;
    std::string text;
    bool is_text = false;
};

inline constexpr const char* commands_key = "commands of the study";

// The first measure whose path begins with this; null: there is none.
const Measure* first_of(const Study& study, const std::string& document);
inline bool needs(const Study& study, const std::string& document) {
    return first_of(study, document) != nullptr;
}

struct Measured {
    std::vector<Value> values;  // in the order of the study's measures
    std::string failure;        // an expression divided by zero, or the like; empty: none did
};
Measured measure(const Study& study, const nlohmann::ordered_json& documents);
// Throws vocabulary::InputError at a measure whose path leads nowhere, or to a list or map, or whose expression has no finite
// value. The message names what is there.
void check_measures(const Study& study, const nlohmann::ordered_json& documents);

}  // namespace sweeps
