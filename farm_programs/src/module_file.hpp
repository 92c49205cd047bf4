// What is done to a module as a file of the host's loader, before any process of the program runs.
#pragma once

#include <string>

namespace farm_programs {

// Loads the module in a process of its own first, since its static constructors run on the host, where nothing catches what
// they do wrong. Throws std::runtime_error when they fail or do not end. A module that the loader refuses passes: whoever loads
// it is told why.
void try_static_constructors(const std::string& path);

// A node's program does not exit, so what the author wrote for its end never runs, neither when the module is unloaded nor when
// the host exits. `handle`: of dlopen().
void drop_static_destructors(void* handle);

}  // namespace farm_programs
