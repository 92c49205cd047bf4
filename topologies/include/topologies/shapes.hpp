// The generators by name, for the command line: "mesh:6x8", "ring:32", "tree:2:63".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <topologies/generators.hpp>
#include <topologies/machine_description.hpp>

namespace topologies {

struct Shape {
    std::string name;        // "mesh"
    std::string parameters;  // as in a usage text: "ROWSxCOLUMNS"
    std::string example;     // "mesh:6x8"
    std::string what;        // one line, without a full stop
    std::size_t least_numbers = 1;
    std::size_t most_numbers = 1;
    char separator = ':';  // between the numbers
    MachineDescription (*make)(const std::vector<std::size_t>& numbers, const NetworkOptions& options) = nullptr;
};

// All of them, in the order in which a list shows them.
const std::vector<Shape>& shapes();

// The machine for "NAME:NUMBERS". An unknown name, a missing number or one out of range throws vocabulary::InputError, which
// shows the right form.
MachineDescription make_shape(const std::string& text, const NetworkOptions& options = {});

}  // namespace topologies
