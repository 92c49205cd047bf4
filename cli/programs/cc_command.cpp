// cc: compiles a program with a main() for the nodes of a machine.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <node_programs/builder.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

struct CcOptions {
    node_programs::Sources sources;
    std::vector<std::string> includes, definitions, folders, libraries;
    std::string optimisation;
    bool json = false;
};

std::string told(const CcOptions& options, const std::vector<std::string>& compiled, const std::string& messages) {
    const std::string& output = options.sources.output;
    if (options.json)
        return nlohmann::ordered_json{
            {"schema", "magicwire.cc/1"}, {"program", output}, {"compiled", compiled}, {"messages", messages}}
            .dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    if (compiled.empty()) return "Nothing has changed since " + output + " was built.";
    return fmt::format("Compiled {}; built {}", fmt::join(compiled, ", "), output);
}

void compile(CcOptions& options, const std::vector<std::string>& others) {
    std::vector<std::string>& all = options.sources.options;
    const auto add = [&all](const char* letter, const std::vector<std::string>& values) {
        for (const std::string& value : values) all.push_back(letter + value);
    };
    add("-I", options.includes);
    add("-D", options.definitions);
    if (!options.optimisation.empty()) all.push_back("-O" + options.optimisation);
    all.insert(all.end(), others.begin(), others.end());
    add("-L", options.folders);
    add("-l", options.libraries);
    if (options.sources.output.empty())
        options.sources.output = std::filesystem::path(options.sources.files.front()).stem().string();
    std::string messages;
    if (options.json) options.sources.say = [&messages](const std::string& text) { messages += text; };
    try {
        const std::vector<std::string> compiled = node_programs::build(options.sources);
        put(told(options, compiled, messages));
    } catch (const vocabulary::InputError& error) {
        if (messages.empty()) throw;
        throw vocabulary::InputError(error.where(), error.message() + ":\n" + messages);
    }
}

}  // namespace

void add_cc(CLI::App& app, int& result) {
    auto options = std::make_shared<CcOptions>();
    CLI::App* command = app.add_subcommand("cc", "Compile a program in C or C++ with a main() for the nodes of a machine");
    command->add_option("SOURCES", options->sources.files, "source files: .c is C, all others C++")
        ->required()
        ->check(file_name("name a source file"));
    command->add_option("-o", options->sources.output, "the program; default: the first source without its ending")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("-I", options->includes, "folder with headers")->type_name("DIR")->allow_extra_args(false);
    command->add_option("-D", options->definitions, "macro")->type_name("NAME[=VALUE]")->allow_extra_args(false);
    command->add_option("-O", options->optimisation, "optimisation; default 1, for which estimated costs are calibrated")
        ->type_name("LEVEL");
    command->add_option("-L", options->folders, "folder with libraries")->type_name("DIR")->allow_extra_args(false);
    command->add_option("-l", options->libraries, "library")->type_name("NAME")->allow_extra_args(false);
    command->add_option("--build", options->sources.folder, "folder for compiled files; default: build/NAME beside the program")
        ->type_name("DIR");
    command->add_flag("--json", options->json, "print JSON, with the compiler's messages in it");
    command->allow_extras();
    command->footer(
        "Other options go to the compiler: -std=c99, -Wextra. Its messages come through unchanged; the exit code is 3 then.\n"
        "A program calls Trollius by <node_programs/trollius.h> (docs/formats/trollius_program.md).\n\n"
        "Examples:\n  magicwire cc -o ring examples/trollius/ring/ring.c\n"
        "  magicwire cc -o prog main.c table.cpp -Iinclude -DSIZE=100 -O2\n");
    command->callback([options, command, &result] {
        for (const std::string& other : command->remaining()) {
            if (!other.starts_with('-')) throw CLI::ValidationError("'" + other + "' is neither an option nor a source file");
        }
        compile(*options, command->remaining());
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
