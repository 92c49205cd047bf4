// What is done to a module as a file of the host's loader, before any process of the program runs.
#pragma once

#include <functional>
#include <string>

namespace farm_programs {

// Calls `open_it` in a process of its own first, since the program's static constructors need not end. Throws what it throws
// there, as std::runtime_error.
void try_to_open(const std::string& path, const std::function<void()>& open_it);

// `how`: "fails", "does not end".
std::string constructors_fail(const std::string& path, const std::string& how);

// A function that the loader itself would call, before anything can be fenced (ifunc): throws, with its name.
void refuse_functions_of_the_loader(const std::string& path);

// A node's program does not exit, so what the author wrote for its end never runs, neither when the module is unloaded nor when
// the host exits. `handle`: of dlopen().
void drop_static_destructors(void* handle);

}  // namespace farm_programs
