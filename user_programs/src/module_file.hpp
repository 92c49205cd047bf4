// Checks and prepares a module for the host's loader, before any process of the program runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <user_programs/loaded_program.hpp>

namespace user_programs {

// Calls `open_it` in a child process first, because the program's static constructors may never end. Its exceptions come back
// as vocabulary::RequestError.
void try_to_open(const LoadedProgram& program, const std::function<void()>& open_it);

// `how`: "fails", "does not end".
std::string constructors_fail(const LoadedProgram& program, const std::string& how);

// Throws for a function (ifunc) that the loader itself would call before any fence exists; the error names it.
void refuse_functions_of_the_loader(const std::string& path);

// Bytes of the file that a loader puts into memory.
std::vector<std::byte> loaded_parts(const std::string& path);

// Drops the code that a program runs at its end, because a node's program never exits. So it runs neither when the module is
// unloaded nor when the host exits. `handle`: from dlopen().
void drop_static_destructors(void* handle);

}  // namespace user_programs
