// Where a run with --flowback keeps the prepared program and the logs: the folder flowback/ of its --out.
#pragma once

#include <string>

#include <outcome/run_folder.hpp>
#include <session/session.hpp>

namespace cli {

// The logging version and the program database go from `prepared` to the folder of the run. Throws vocabulary::InputError when
// the file is no prepared program.
session::FlowbackPlace flowback_place(outcome::RunFolder& folder, const std::string& prepared);
// After the run: the prepared program holds its logging version, so the copy goes. Returns a line that tells what was logged.
std::string finish_flowback(const session::FlowbackPlace& place);

// NAME.prepared of a program that Magicwire brings or that is found by its name. Throws vocabulary::InputError with what to do
// when there is none.
std::string prepared_of(const std::string& program, const std::string& given);

}  // namespace cli
