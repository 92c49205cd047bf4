// Compiles and links a program with a main() to a module for the nodes: C with gcc, C++ with g++.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <user_programs/module_builder.hpp>

namespace node_programs {

struct Sources {
    std::vector<std::string> files;                    // at least one; .c is C, all others C++
    std::string output = {};                           // the module; its table of block costs lies beside it
    std::vector<std::string> options = {};             // for the compiler, and -l, -L and -Wl, for the linker
    std::string folder = {};                           // for compiled files; empty: build/NAME beside the output
    std::function<void(const std::string&)> say = {};  // gets the compiler's output, unchanged; empty: standard error
};

// Returns the sources that were compiled this time; the others and their options have not changed. Throws
// vocabulary::InputError when a source is missing or does not compile. It also throws when the program cannot be linked, has no
// main(), or cannot be written. Cost: one run of the compiler for each of them, and for each file of the support code once.
std::vector<std::string> build(const Sources& sources);

// An MPI program, in the two steps that a compiler's driver has. `headers`: folder of mpi.h, `library`: the library of MPI.
struct MpiParts {
    std::string headers, library;
};
MpiParts find_mpi_parts();  // throws vocabulary::HostError when they are not there

// Headers, support code and library of a program that may call MPI.
user_programs::ModuleParts module_parts();

// The options with which a source is compiled, besides -c and -o: for C, or for C++.
std::vector<std::string> mpi_compile_options(bool cpp);

// The words with which a compiler's own driver links objects to a module, without `magicwire`: options, then archives. What is
// missing then is the table of block costs, which the loader makes itself.
struct MpiLinkWords {
    std::vector<std::string> options, archives;
};
MpiLinkWords mpi_link_words(bool cpp);

struct Objects {
    std::vector<std::string> files;         // compiled with those options; archives, too
    std::string output;                     // the module
    std::vector<std::string> options = {};  // for the linker: -l, -L and -Wl,
    bool cpp = false;
    std::string folder;  // for the compiled support code; must exist
    std::function<void(const std::string&)> say = {};
};
// Links them to a module that runs on a node. Throws as build() does; a function of MPI that is not there is an error that
// names it.
void link_mpi(const Objects& objects);

}  // namespace node_programs
