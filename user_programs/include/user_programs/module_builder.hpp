// ModuleBuilder: compiles sources in C (gcc) and C++ (g++), and links them with the support code to a module that the modelled
// nodes load. A source is compiled again only when it, its headers, the options or the compiler have changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <user_programs/compilation.hpp>

namespace user_programs {

// Folders that a module is built from.
struct ModuleParts {
    std::vector<std::string> headers;        // folders with its header
    std::string common;                      // folder with the support code that every module gets
    std::string own;                         // folder with its own support code, and program.map
    std::vector<std::string> archives = {};  // libraries that are linked to it
    std::string compiled = {};               // the support code in C, both kinds, as one object
    std::string compiled_cpp = {};           // that of C++ programs, likewise
};

class ModuleBuilder {
public:
    // `folder` gets the compiled files and must exist. `say` gets the output of compiler and linker. `cpp`: one of the sources
    // is C++. Throws vocabulary::InputError when there is no compiler.
    ModuleBuilder(std::string folder, ModuleParts parts, bool cpp, std::function<void(const std::string&)> say);

    // One source with the options of user_programs/support/compile_options.txt, then `options`. The caller looks at the status.
    Compiled compile_user(const std::string& source, std::size_t number, const std::vector<std::string>& options,
                          const std::vector<TypeCheck>& types = {});
    // A source of Magicwire. Throws vocabulary::HostError when it does not compile.
    std::string compile_own(const std::string& source);

    // Each returns false when the linker fails, and sets `anew`. `options`: those for the linker count (-l, -L, -Wl,).
    bool link_module(const std::string& target, const std::vector<std::string>& objects,
                     const std::vector<std::string>& options, bool& anew);
    bool link(const std::string& target, std::vector<std::string> command, const std::vector<std::string>& inputs,
              const std::vector<std::string>& options, bool& anew);
    // The options with which a source of the user is compiled, besides -c and -o.
    std::vector<std::string> user_options(const std::string& source) const;
    const char* driver() const { return cpp_ ? "g++" : "gcc"; }

private:
    std::vector<std::string> options_in(const std::string& file) const;
    std::vector<std::string> language_and(const std::string& source, const std::string& file) const;

    std::string folder_, compiler_;
    ModuleParts parts_;
    bool cpp_;
    std::function<void(const std::string&)> say_;
    std::size_t own_ = 0;
};

// The folders of headers and support code, in the build tree or in an installation beside the running executable. `own`: name
// of the kind's folder in an installation ("trek"), `source`: its folder in the source tree, `headers`: likewise. Throws
// vocabulary::HostError with the folders that were tried.
ModuleParts find_module_parts(const std::string& own, const std::string& source, const std::string& headers);

// One build at a time in a folder; others wait.
class BuildLock {
public:
    explicit BuildLock(const std::string& folder);
    ~BuildLock();
    BuildLock(const BuildLock&) = delete;
    BuildLock& operator=(const BuildLock&) = delete;

private:
    int file_;
};

}  // namespace user_programs
