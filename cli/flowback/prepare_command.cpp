// prepare: flowback's preparatory phase for a program.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <farm_programs/specification.hpp>
#include <tmon_flowback/prepared.hpp>
#include <vocabulary/source_position.hpp>

#include "farms/farm_run.hpp"
#include "flowback/preparations.hpp"
#include "frame/command.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using tmon_flowback::FunctionKind;
using tmon_flowback::PreparedProgram;

struct PrepareOptions {
    std::vector<std::string> programs, definitions, includes;
    std::string output, blocks = "auto", show, build;
    bool json = false;
};

user_programs::Preparation preparation(const PrepareOptions& options) {
    const std::string& first = options.programs.front();
    const std::string ending = fs::path(first).extension().string();
    const bool sources = ending == ".c" || ending == ".cpp" || ending == ".cc" || ending == ".cxx";
    user_programs::Preparation result = empty_preparation();
    if (!sources) {
        if (options.programs.size() > 1)
            throw vocabulary::InputError({options.programs[1], 0, 0},
                                         "only source files can be several; name one program, or its sources");
        const auto spec = farm_programs::read_specification(farm_file(first));
        result = preparation_of(spec, options.build);
    } else {
        result.sources = options.programs;
        const std::string name = fs::path(first).stem().string();
        result.folder = options.build.empty() ? "build/" + name + "/flowback" : options.build;
        result.output = name + ".prepared";
    }
    if (!options.output.empty()) {
        result.output = options.output;
        if (sources && options.build.empty()) result.folder = "build/" + fs::path(options.output).stem().string() + "/flowback";
    }
    for (const std::string& each : options.definitions) result.options.push_back("-D" + each);
    for (const std::string& each : options.includes) result.options.push_back("-I" + each);
    result.blocks = options.blocks;
    return result;
}

std::string blocks_text(const PreparedProgram& program) {
    std::string text = "\n  function                 e-block\n";
    for (const auto& function : program.functions()) {
        if (function.name.empty()) continue;
        constexpr const char* kinds[] = {"no: ", "yes", "no: its callers log for it"};
        text += fmt::format("  {:24} {}{}\n", function.name, kinds[static_cast<std::size_t>(function.kind)],
                            function.kind == FunctionKind::Outside ? function.why_outside : "");
    }
    return text;
}

// Calls whose effects are not known make answers uncertain, so they are told. By name: a place of one.
std::map<std::string, std::string> unknown_calls(const PreparedProgram& program) {
    std::map<std::string, std::string> first;
    for (const auto& site : program.sites()) {
        if (site.kind == tmon_flowback::SiteKind::Call && site.effect == 0)
            first.try_emplace(site.callee.empty() ? "through a pointer" : site.callee, program.place(site));
    }
    return first;
}

nlohmann::ordered_json json_of(const PreparedProgram& program, const std::string& file, bool anew) {
    nlohmann::ordered_json json = {{"schema", "magicwire.prepare/1"},
                                   {"file", file},
                                   {"anew", anew},
                                   {"e_blocks", program.blocks()},
                                   {"functions", nlohmann::ordered_json::array()},
                                   {"unknown_calls", nlohmann::ordered_json::array()}};
    for (const auto& function : program.functions()) {
        if (function.name.empty()) continue;
        constexpr const char* kinds[] = {"not_prepared", "e_block", "inherited"};
        json["functions"].push_back({{"name", function.name},
                                     {"place", fmt::format("{}:{}", program.file_name(function.file), function.line)},
                                     {"kind", kinds[static_cast<std::size_t>(function.kind)]},
                                     {"why", function.why_outside}});
    }
    for (const auto& [name, place] : unknown_calls(program))
        json["unknown_calls"].push_back({{"name", name}, {"place", place}});
    return json;
}

std::string text_of(const PreparedProgram& program, const std::string& file, bool anew) {
    std::size_t counts[3] = {};
    for (const auto& function : program.functions()) {
        if (!function.name.empty()) ++counts[static_cast<std::size_t>(function.kind)];
    }
    std::string text = fmt::format("{} {}: {} e-blocks, {} functions that their callers log for, {} functions not prepared\n",
                                   anew ? "Prepared" : "Nothing has changed since", file, counts[1], counts[2], counts[0]);
    std::string calls;
    for (const auto& [name, place] : unknown_calls(program))
        calls += fmt::format("{}{} ({})", calls.empty() ? "" : ", ", name, place);
    if (!calls.empty())
        text += "  Effects are not known of these calls, so answers behind them are not certain: " + calls + "\n";
    return text;
}

int run(const PrepareOptions& options) {
    const user_programs::Preparation what = preparation(options);
    const bool anew = user_programs::prepare(what);
    const PreparedProgram program(what.output);
    if (options.json) {
        put(json_of(program, what.output, anew).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        put(text_of(program, what.output, anew) + (options.show == "blocks" ? blocks_text(program) : ""));
    }
    return exit_code::nothing_found;
}

}  // namespace

void add_prepare(CLI::App& app, int& result) {
    auto options = std::make_shared<PrepareOptions>();
    CLI::App* command = app.add_subcommand("prepare", "Prepare a program for flowback: logging and tracing versions");
    command
        ->add_option("PROGRAM", options->programs,
                     "folder of a farm program, its specification, or the source files of a farm or of a program with a main()")
        ->required();
    command->add_option("-o", options->output, "the prepared program; default: NAME.prepared, for a farm beside its module")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("-D", options->definitions, "macro")->type_name("NAME[=VALUE]")->allow_extra_args(false);
    command->add_option("-I", options->includes, "folder with headers")->type_name("DIR")->allow_extra_args(false);
    command
        ->add_option("--e-blocks", options->blocks,
                     "functions that log for themselves: all; leaves: all but leaves, whose callers log for them; auto: also "
                     "without recursive ones and those without a loop that call only such ones; roots: only those that the "
                     "runtime, a pointer or "
                     "another source calls")
        ->check(CLI::IsMember({"all", "leaves", "auto", "roots"}))
        ->capture_default_str();
    command->add_option("--show", options->show, "list what became of each function: blocks")->check(CLI::IsMember({"blocks"}));
    command->add_option("--build", options->build, "folder for compiled files")->type_name("DIR");
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "It needs clang 14, and a Magicwire that was built with LLVM 14.\n\n"
        "Examples:\n  magicwire prepare examples/farms/mergesort --show blocks\n"
        "  magicwire prepare examples/programs/image_group.c -DIMAGE_GROUP_BUG -o image_group_bug.prepared\n"
        "  magicwire prepare examples/mpi/jacobi.c && magicwire mpirun -np 4 --flowback out jacobi\n");
    command->callback([options, &result] { result = run(*options); });
}

}  // namespace cli
