// Treats a module as a file of the host's loader, before any process of the program runs.
#pragma once

#include <functional>
#include <string>

namespace farm_programs {

// Calls `open_it` in a process of its own first, since the program's static constructors need not end. Rethrows its exceptions
// from there as vocabulary::RequestError.
void try_to_open(const std::string& path, const std::function<void()>& open_it);

// `how`: "fails", "does not end".
std::string constructors_fail(const std::string& path, const std::string& how);

// Throws, with its name, for a function that the loader itself would call before anything can be fenced (ifunc).
void refuse_functions_of_the_loader(const std::string& path);

// A node's program does not exit, so the author's code for its end never runs. It runs neither when the module is unloaded nor
// when the host exits. `handle`: from dlopen().
void drop_static_destructors(void* handle);

}  // namespace farm_programs
