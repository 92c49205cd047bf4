// The values of an axis, as a study file gives them: a list, a range, or a template whose places are filled in
// (docs/formats/study_file.md).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <sweeps/study.hpp>
#include <topologies/strict_yaml.hpp>

namespace sweeps {

inline constexpr std::size_t most_values = 1'000'000;  // of all axes together

// A value as --set takes it here: a file's name seen from the working folder.
using AsSet = std::function<std::string(const std::string& setting, const std::string& text)>;

// Throws vocabulary::InputError at what is wrong, and for a value that is there twice in any spelling, unless it `may_repeat`.
Axis read_axis(const std::string& name, const vocabulary::SourcePosition& where, const topologies::YamlValue& given,
               const AsSet& as_set, bool may_repeat);

// The spelling that values of this setting or cost have in the database: "20" for "020", "1ms" for "1000us", "2" for "2.0".
// A value that the setting does not take is left as it is.
std::string usual_spelling(const std::string& setting, const std::string& text);

// The values of a list, of "n1..n7", or of a range, made one by one.
struct Sequence {
    std::size_t size = 0;
    std::function<std::string(std::size_t)> at;
};
// `setting`: whose values they are; empty: those of a place in a template, whose ranges of times may leave out the step.
Sequence read_range(const topologies::YamlValue& given, const std::string& setting);
Sequence read_span(const topologies::YamlValue& given);  // "n1..n7"
// The texts that the places of a template make.
std::vector<std::string> fill_template(const topologies::YamlValue& given);

}  // namespace sweeps
