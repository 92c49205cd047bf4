// The commands of a study file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sweeps/study.hpp>
#include <topologies/strict_yaml.hpp>

namespace sweeps {

// A path of the file as seen from the working folder.
using Beside = std::function<std::string(const std::string&)>;

// `study`: its axes, and whether its points run, are known. These throw vocabulary::InputError, also for a program or file that
// is not there.
std::vector<Command> read_commands(const topologies::YamlValue& given, const Study& study, const Beside& beside);
Maker read_maker(const topologies::YamlValue& given, const Study& study, const Beside& beside);
// As the file has it: two studies with the same text have the same command.
std::string command_text(const std::string& name, const topologies::YamlValue& given);
std::string maker_text(const topologies::YamlValue& given);

// Throws at an axis or setting that no run and no command takes.
void refuse_what_nobody_takes(const topologies::YamlValue& axes, const Study& study);

}  // namespace sweeps
