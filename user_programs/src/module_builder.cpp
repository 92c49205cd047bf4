#include <user_programs/module_builder.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include <installed_files/installed_files.hpp>
#include <user_programs/block_costs.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace user_programs {

using vocabulary::InputError;

namespace {

// Objects of Magicwire's own sources are numbered behind those of the user.
constexpr std::size_t first_own = 1000;

std::string version(const std::string& compiler) {
    const ToolResult run = run_tool({compiler, "-dumpfullversion"});
    if (run.status != 0)
        throw InputError({compiler, 0, 0},
                         "the compiler cannot be run; install it, on Debian with: apt-get install " + compiler);
    return compiler + " " + run.output;
}

}  // namespace

BuildLock::BuildLock(const std::string& folder) : file_(open((folder + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (file_ < 0) throw InputError({folder + "/lock", 0, 0}, "cannot be written; choose a folder that can, with --build");
    flock(file_, LOCK_EX);
}
BuildLock::~BuildLock() {
    close(file_);
}

ModuleBuilder::ModuleBuilder(std::string folder, ModuleParts parts, bool cpp, std::function<void(const std::string&)> say)
    : folder_(std::move(folder)),
      compiler_(version("gcc") + (cpp ? version("g++") : "")),
      parts_(std::move(parts)),
      cpp_(cpp),
      say_(std::move(say)) {}

// The options of a step, as a file of the support code lists them.
std::vector<std::string> ModuleBuilder::options_in(const std::string& file) const {
    std::istringstream lines(content_of(parts_.common + "/" + file));
    std::vector<std::string> options;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) options.push_back(line);
    }
    return options;
}

std::vector<std::string> ModuleBuilder::language_and(const std::string& source, const std::string& file) const {
    std::vector<std::string> flags = options_in(file);
    flags.insert(flags.begin(), is_cpp(source) ? "-std=gnu++20" : "-std=gnu11");
    for (const std::string& folder : parts_.headers) flags.push_back("-I" + folder);
    return flags;
}

std::vector<std::string> ModuleBuilder::user_options(const std::string& source) const {
    return language_and(source, "compile_options.txt");
}

Compiled ModuleBuilder::compile_user(const std::string& source, std::size_t number, const std::vector<std::string>& options,
                                     const std::vector<TypeCheck>& types) {
    std::vector<std::string> flags = user_options(source);
    flags.emplace_back("-Wall");
    flags.insert(flags.end(), options.begin(), options.end());
    flags.emplace_back("-U_FORTIFY_SOURCE");  // its checks end in the C library's own printf()
    Compiled done = compile({source, number, flags, types}, folder_, compiler_);
    if (!done.output.empty()) say_(done.output);
    return done;
}

std::string ModuleBuilder::compile_own(const std::string& source) {
    std::vector<std::string> flags = language_and(source, "support_options.txt");
    flags.push_back("-I" + parts_.common);
    const Compiled done = compile({source, first_own + own_++, flags, {}}, folder_, compiler_);
    if (done.status == 0) return done.object;
    say_(done.output);
    throw vocabulary::HostError("the support code '" + source + "' cannot be compiled; is the installation whole?");
}

bool ModuleBuilder::link(const std::string& target, std::vector<std::string> command, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& options, bool& anew) {
    command.insert(command.end(), inputs.begin(), inputs.end());
    command.insert(command.end(), {"-o", target});
    // Options such as -lm and -L count for the linker, others did their work already.
    for (const std::string& option : options) {
        if (option.starts_with("-l") || option.starts_with("-L") || option.starts_with("-Wl,")) command.push_back(option);
    }
    command.emplace_back("-lm");
    ContentHash hash;
    hash.add(compiler_);
    for (const std::string& word : command) hash.add(word);
    for (const std::string& input : inputs) hash.add(content_of(input));
    anew = !is_up_to_date(target, hash.digits());
    if (!anew) return true;
    const ToolResult run = run_tool(command);
    if (!run.output.empty()) say_(run.output);
    if (run.status == 0) remember(target, hash.digits());
    return run.status == 0;
}

bool ModuleBuilder::link_module(const std::string& target, const std::vector<std::string>& objects,
                                const std::vector<std::string>& options, bool& anew) {
    std::vector<std::string> inputs = objects;
    inputs.push_back(parts_.compiled);
    if (cpp_) inputs.push_back(parts_.compiled_cpp);
    inputs.insert(inputs.end(), parts_.archives.begin(), parts_.archives.end());
    std::vector<std::string> command = {driver(), "-shared", "-static-libgcc"};
    if (cpp_) command.emplace_back("-static-libstdc++");
    for (const std::string& option : options_in("link_options.txt")) command.push_back(option);
    command.push_back("-Wl,--version-script=" + parts_.own + "/program.map");
    if (!link(target, command, inputs, options, anew)) return false;
    if (anew || !std::filesystem::exists(std::filesystem::path(target).replace_extension(".blocks"))) write_block_costs(target);
    return true;
}

ModuleParts find_module_parts(const std::string& own, const std::string& source, const std::string& headers) {
    std::vector<ModuleParts> places;
    for (const auto& prefix : installed_files::prefixes()) {
        const std::string support = prefix / "share/magicwire/support";
        places.push_back({.headers = {prefix / "include/magicwire"},
                          .common = support + "/common",
                          .own = support + "/" + own,
                          .compiled = support + "/" + own + "/support.o",
                          .compiled_cpp = support + "/common/cplusplus.o"});
    }
    const std::string tree = MAGICWIRE_SOURCE_FOLDER;  // of the build
    const std::string built = MAGICWIRE_BINARY_FOLDER "/support/";
    places.push_back({.headers = {tree + "/" + headers, tree + "/topologies/vocabulary/include"},
                      .common = tree + "/user_programs/support",
                      .own = tree + "/" + source,
                      .compiled = built + own + "/support.o",
                      .compiled_cpp = built + "common/cplusplus.o"});
    std::string tried;
    for (ModuleParts& place : places) {
        const auto there = [](const std::string& folder) { return std::filesystem::is_directory(folder); };
        const bool compiled = std::filesystem::exists(place.compiled) && std::filesystem::exists(place.compiled_cpp);
        if (compiled && there(place.common) && there(place.own) &&
            std::all_of(place.headers.begin(), place.headers.end(), there)) {
            for (std::string* path : {&place.common, &place.own, &place.compiled, &place.compiled_cpp})
                *path = std::filesystem::path(*path).lexically_normal();
            for (std::string& folder : place.headers) folder = std::filesystem::path(folder).lexically_normal();
            return place;
        }
        tried += (tried.empty() ? "" : ", ") + place.own + " and " + place.compiled;
    }
    throw vocabulary::HostError("the headers and support code for programs are not there; tried " + tried);
}

}  // namespace user_programs
