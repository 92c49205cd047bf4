// Flowback's preparatory phase (PPD, seed 004, section 3.2): from the sources of a farm program its logging and tracing
// versions and the program database, all in one file NAME.prepared (docs/formats/prepared.md). LLVM's work is done by the
// program magicwire-flowback-prepare, the compiling by clang 14.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <farm_programs/specification.hpp>

namespace farm_programs {

struct Preparation {
    std::vector<std::string> sources;
    std::vector<std::string> options;  // of the compiler: -D, -I and the like
    std::string folder;                // for compiled files; made when it is missing
    std::string output;                // NAME.prepared
    bool all_blocks = false;           // every function is an e-block; else leaves are inherited by their callers
    std::function<void(const std::string&)> say = {};  // gets the compiler's output; empty: standard error
};

// Of the program of a specification, beside what build() makes.
Preparation preparation_of(const Specification& spec, const std::string& folder);

// Makes the file anew when a source, a header it names, an option or a tool has changed; false: nothing had. Throws
// vocabulary::InputError when a source does not compile, and vocabulary::HostError when clang 14 or Magicwire's own part is
// missing. Cost: some 0.3 s a source.
bool prepare(const Preparation& preparation);

}  // namespace farm_programs
