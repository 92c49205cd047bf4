// The commands of a study file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sweeps/study.hpp>
#include <topologies/strict_yaml.hpp>

namespace sweeps {

// `beside`: a path of the file as seen from the working folder. Throws vocabulary::InputError, also for a program or file that
// is not there.
std::vector<Command> read_commands(const topologies::YamlValue& given,
                                   const std::function<std::string(const std::string&)>& beside);
// As the file has it: two studies with the same text have the same command.
std::string command_text(const std::string& name, const topologies::YamlValue& given);

}  // namespace sweeps
