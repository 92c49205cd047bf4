// The processors that a machine file may name: T800s, by their grade of speed.
#pragma once

#include <cstdint>
#include <optional>

#include <topologies/strict_yaml.hpp>

namespace topologies {

// Clock in Hz of a type such as "T800-25". `clock_hz`: what the file says beside it. Throws vocabulary::InputError for a type
// that the model does not know, or one with another clock.
std::int64_t clock_of_type(const YamlValue& type, std::optional<std::int64_t> clock_hz);

}  // namespace topologies
