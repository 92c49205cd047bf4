// Compiles the sources that a specification names: C with gcc, C++ with g++. One result is a module that the modelled nodes
// load. The other is a program that does the same tasks sequentially on this computer (sequential/sequential.c). Both lie in a
// separate folder. A source is recompiled only when it, its headers, the options or the compiler have changed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <farm_programs/specification.hpp>
#include <user_programs/module_builder.hpp>

namespace farm_programs {

struct BuildOptions {
    std::string folder = {};                           // empty: build/NAME beside the specification
    std::function<void(const std::string&)> say = {};  // gets the compiler's output; empty: standard error
};

struct Built {
    std::string module;                                   // the shared object
    std::string sequential;                               // the sequential program
    std::vector<std::string> compiled;                    // sources compiled this time
    bool linked = false;                                  // linked this time
    bool charges = false;                                 // a source calls work_us() or the like
    std::optional<std::size_t> task_bytes, result_bytes;  // sizes of the types that the specification names
};

// Throws vocabulary::InputError when a source does not compile, after `say` got the compiler's text. It also throws when
// functions are missing or defined twice, or when the folder cannot be written. It also throws when two sources have types of
// different size under the same name. Cost: one run of the compiler for each changed source.
Built build(const Specification& spec, const BuildOptions& options = {});

// Path of the module that build() makes. `folder`: as in BuildOptions.
std::string module_path(const Specification& spec, const std::string& folder);

// Headers and support code, in the build tree or in an installation beside the running executable. Throws vocabulary::HostError
// with the folders that were tried.
struct SupportFiles {
    user_programs::ModuleParts module;
    std::string sequential;  // the source that does a program's tasks sequentially
};
SupportFiles find_support_files();

}  // namespace farm_programs
