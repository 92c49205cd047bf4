// farm run: a user's program on the modelled machine.
#pragma once

#include <string>

#include "frame/command.hpp"

namespace cli {

// Path of the specification for NAME: the file itself, NAME.farm, or the one in that folder. Throws vocabulary::InputError.
std::string farm_file(const std::string& name);
void add_farm_run(CLI::App& farm, const Invocation& invocation, int& result);

}  // namespace cli
