// Shared by the builders: the parts of a module of Trollius, and the module at its place.
#pragma once

#include <string>

#include <user_programs/module_builder.hpp>

namespace node_programs {

user_programs::ModuleParts parts_of_trollius();
bool has_main(const std::string& module);
// Another file of the same name, so that a machine that has loaded the old one keeps it.
void put_module(const std::string& module, const std::string& output);

}  // namespace node_programs
