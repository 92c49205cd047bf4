// Flowback's preparatory phase (Miller and Choi 1988, section 3.2). It makes the logging and the tracing version of a program
// and the program database. All lie in one file, NAME.prepared (docs/formats/prepared.md). The program
// magicwire-flowback-prepare does LLVM's work, and clang 14 compiles.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <user_programs/module_builder.hpp>

namespace user_programs {

struct Preparation {
    std::vector<std::string> sources;
    std::vector<std::string> options;  // of the compiler: -D, -I and the like
    std::string folder;                // for compiled files; made when it is missing
    std::string output;                // NAME.prepared
    // Functions that are e-blocks: "all", "leaves" (all but leaves), "auto" (fewer), "roots" (fewest).
    std::string blocks = "auto";
    std::vector<std::string> headers = {};  // folders with the headers of all kinds of program
    // The parts that the versions are linked with, from the names of the functions that other sources can call.
    std::function<ModuleParts(const std::set<std::string>& functions)> parts_of = {};
    std::function<void(const std::string&)> say = {};  // gets the compiler's output; empty: standard error
};

// Makes the file anew when a source, a header it names, an option or a tool has changed; false: nothing had. Throws
// vocabulary::InputError when a source does not compile, and vocabulary::HostError when clang 14 or Magicwire's own part is
// missing. Cost: some 0.3 s a source.
bool prepare(const Preparation& preparation);

}  // namespace user_programs
