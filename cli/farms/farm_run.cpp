#include "farms/farm_run.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <farm_programs/builder.hpp>
#include <farm_programs/program_application.hpp>
#include <farm_programs/sequential.hpp>
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>
#include <outcome/run_folder.hpp>
#include <prediction/resolve_tree.hpp>
#include <scenario/program_scenario.hpp>
#include <text/output_file.hpp>
#include <text/shell_words.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_flowback/prepared.hpp>
#include <vocabulary/source_position.hpp>

#include "flowback/flowback_place.hpp"
#include "flowback/preparations.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/run_views.hpp"
#include "traces/isolate_line.hpp"

namespace cli {
namespace {

using farm_programs::ProgramOutput;
using farm_programs::Replacement;
using farm_programs::Specification;
using oracle::SessionResult;
using scenario::Scenario;
using vocabulary::InputError;

namespace fs = std::filesystem;

struct FarmRunOptions {
    std::string name, build, faults, bugs, links, topology, processors, tasks, cost, unload, input, out, files,
        progress = "auto", totals = "none";
    std::vector<std::string> set;
    std::optional<std::uint64_t> seed;
    RunViews views;
    LogOptions flowback;
    bool monitor = false, compare = false, json = false, force = false, exit_zero = false;

    std::vector<Replacement> replacements() const {
        std::vector<Replacement> all;
        const auto add = [&](const char* key, const char* option, const std::string& value) {
            if (!value.empty()) all.push_back({key, value, option});
        };
        add("topology", "--topology", topology);  // first: it may take the number of processors with it
        add("total_processors", "--processors", processors);
        add("total_tasks", "--tasks", tasks);
        add("cost", "--cost", cost);
        return all;
    }

    // The command line that repeats the run.
    std::string repeat(const Scenario& scenario) const {
        std::string line = fmt::format("magicwire farm run {} --seed {}", text::shell_word(name), scenario.seed);
        const auto add = [&](const char* option, const std::string& value) {
            if (!value.empty()) line += fmt::format(" {} {}", option, text::shell_word(value));
        };
        add("--topology", topology);
        add("--processors", processors);
        add("--tasks", tasks);
        add("--cost", cost);
        add("--faults", faults);
        add("--bugs", bugs);
        for (const std::string& text : set) add("--set", text);
        add("--links", links);
        if (monitor) line += " --monitor";
        add("--unload", unload);
        add("--input", input);
        return line;
    }
};

void add_options(CLI::App& command, FarmRunOptions& options) {
    command.add_option("NAME", options.name, "folder of a program, or its specification file (.farm)")->required();
    command.add_option(
        "--topology", options.topology,
        "instead of the file's: CHAIN, BTREE, TTREE, BEST, a machine file, a shape (mesh:4x4), or a tree {n0: [1], ...}");
    command.add_option("--processors", options.processors, "instead of total_processors")->type_name("NUMBER");
    command.add_option("--tasks", options.tasks, "instead of total_tasks")->type_name("NUMBER");
    command.add_option("--cost", options.cost, "instead of the file's: explicit, estimated, or a file of costs");
    command.add_option("--input", options.input, "input of the program; -: standard input")->type_name("FILE");
    command.add_flag(
        "--compare", options.compare,
        "also run the tasks one after the other on this computer and report results that differ; exit code 1 if any do");
    command
        .add_option_function<std::string>(
            "--seed", [&options](const std::string& text) { options.seed = whole_number("--seed", text); },
            "seed of clock offsets and drifts and of chances of bugs, instead of the file's")
        ->type_name("NUMBER");
    command.add_option("--set", options.set, "NAME=VALUE: change a cost ('magicwire costs') or a value (farm.buffers, ...)")
        ->take_all();
    command.add_option("--faults", options.faults, "fault plan ('magicwire faults' lists the verbs)")->type_name("FILE");
    command.add_option("--bugs", options.bugs, "bug list: bugs to plant in the functions ('magicwire bugs' lists the kinds)")
        ->type_name("FILE");
    command.add_flag("--monitor", options.monitor, "monitor the farm and analyse the trace");
    command.add_option("--unload", options.unload, "as --monitor, with this unload sequence")->type_name("FILE");
    command
        .add_option("--links", options.links,
                    "level of detail of links: message (one transfer each) or byte (each packet, slower)")
        ->check(CLI::IsMember({"message", "byte"}));
    command.add_option("--build", options.build, "folder for compiled files; default: build/NAME beside the specification")
        ->type_name("DIR");
    command.add_option("--files", options.files, "folder for files of trek_save(); default: out/ beside the specification")
        ->type_name("DIR");
    command.add_option("--out", options.out, "new folder for trace files, oracle and totals")->type_name("DIR");
    command.add_flag("-f,--force", options.force, "replace that folder");
    command
        .add_flag("--flowback", options.flowback.wanted,
                  "keep logs in --out, from which `magicwire flowback` says where values came from")
        ->needs(command.get_option("--out"));
    options.flowback.add_store(command);
    command.add_flag("--json", options.json, "print JSON");
    command.add_option("--totals", options.totals, "rows of links and nodes: all, top or none")
        ->check(CLI::IsMember({"all", "top", "none"}))
        ->capture_default_str();
    options.views.add_to(command);
    command.add_option("--progress", options.progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command.add_flag("--exit-zero", options.exit_zero, "exit with 0 also when a fault was found or the results differ");
    command.footer(
        "Examples:\n  magicwire farm run pi\n  magicwire farm run pi --topology CHAIN --processors 6 --compare\n"
        "  magicwire farm run pi --topology ubc:75 --monitor --out out\n");
}

Scenario scenario_of(const FarmRunOptions& options) {
    Specification spec = farm_programs::read_specification(farm_file(options.name), options.replacements());
    std::vector<scenario::Setting> settings = settings_of(options.set);
    if (!options.links.empty()) settings.emplace_back("links", options.links);
    spec.build_folder = options.build;
    scenario::Additions additions{.settings = std::move(settings),
                                  .seed = options.seed,
                                  .faults = options.faults,
                                  .bugs = options.bugs,
                                  .input = options.input,
                                  .unload = {}};
    if (!options.unload.empty()) {
        additions.unload = instrumentation::UnloadSequence::read(options.unload);
    } else if (options.monitor) {
        // From 8 records on when a node is idle, from 32 on in any case.
        additions.unload = instrumentation::UnloadSequence({{1'000'000'000, 8, 32, {}}});
    }
    // The tree comes last: the program is measured for it, with all settings applied.
    return prediction::with_tree(scenario::program_scenario(std::move(spec), additions));
}

// Place of the farm's final report on the console; npos when it did not come, or came damaged.
std::size_t report_place(const SessionResult& result) {
    const std::string& report = result.simulated.farm.report;
    return report.empty() ? std::string::npos : result.observed.console.rfind(report);
}

// Output that the program printed and saved.
ProgramOutput output_of(const SessionResult& result) {
    ProgramOutput output;
    output.text = result.observed.console;
    if (const std::size_t report = report_place(result); report != std::string::npos)
        output.text.erase(report, result.simulated.farm.report.size());
    for (const auto& [name, content] : result.observed.files) {
        if (!farm_programs::plain_file_name(name)) continue;  // the summary reports it
        output.files[name].assign(reinterpret_cast<const char*>(content.data()), content.size());
    }
    return output;
}

// Puts the output where the options and the specification say; returns a report of it.
std::string put_output(const FarmRunOptions& options, const Scenario& scenario, const ProgramOutput& output) {
    std::string told;
    const fs::path folder = options.files.empty() ? fs::path(scenario.path).parent_path() / "out" : fs::path(options.files);
    if (!output.files.empty()) fs::create_directories(folder);
    for (const auto& [name, content] : output.files) {
        const std::string path = (folder / name).string();
        text::write_text_file(path, content, text::Replace::Yes);
        told += fmt::format("  file         {}\n", path);
    }
    const std::string& file = scenario.farm_program->output_file;
    if (!file.empty()) {
        text::write_text_file(file, output.text, text::Replace::Yes);
        told += fmt::format("  printed      {} ({} bytes)\n", file, output.text.size());
    }
    return told;
}

struct Comparison {
    std::string sequentially, differences;  // its output then; empty: equal
    std::string other_order;                // the first line that stands elsewhere, where only the order differs
};

Comparison compared(const Scenario& scenario, const farm_programs::Built& built, const ProgramOutput& output) {
    const Specification& spec = *scenario.farm_program;
    const auto run = farm_programs::run_sequentially(spec, built, scenario.farm.depth, scenario.program_settings.input);
    if (!run.good) return {run.output.text, "sequentially the program fails: " + run.problem + "\n", {}};
    return {run.output.text, farm_programs::differences(run.output, output), farm_programs::other_order(run.output, output)};
}

std::string json_with(const std::string& summary, const std::optional<Comparison>& comparison, const ProgramOutput& output) {
    if (!comparison) return summary;
    auto json = nlohmann::ordered_json::parse(summary);
    json["comparison"] = {{"equal", comparison->differences.empty()},
                          {"differences", comparison->differences},
                          {"other_order", comparison->other_order},
                          {"printed", output.text},
                          {"sequentially", comparison->sequentially}};
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Prints the part below the summary.
void put_ends(const SessionResult& result, const std::optional<Comparison>& comparison,
              const tmon_detrek::DetrekResult& analysis, const std::string& isolate) {
    if (comparison && comparison->differences.empty()) {
        put("\nSequentially the program prints and saves the same" +
            (comparison->other_order.empty() ? "." : ", with its lines in another order: " + comparison->other_order + "."));
    }
    if (comparison && !comparison->differences.empty()) put("\nOther than sequentially:\n" + comparison->differences);
    if (result.observed.trace) put("\n" + analysis.text + isolate);
    if (!result.observed.trace && !result.simulated.farm.finished)
        put("\nThe farm did not finish and was not monitored; run it with --monitor to find out why.");
}

// Checks whether the folder of --files can be made or written. Called before the run, which may be long.
void check_files_place(const std::string& files) {
    if (files.empty()) return;
    std::error_code error;
    fs::path there = fs::absolute(files, error);
    while (!fs::exists(there, error) && !error && there.has_relative_path()) there = there.parent_path();
    if (error || !fs::is_directory(there, error) || access(there.c_str(), W_OK | X_OK) != 0)
        throw InputError({"--files " + files, 0, 0},
                         "the folder cannot be made or written; name another, or leave it out for out/ beside the program");
}

int run(FarmRunOptions& options, const Invocation& invocation) {
    const Scenario scenario = scenario_of(options);
    check_files_place(options.files);
    if (!options.out.empty()) outcome::check_output_place(options.out, options.force);
    const auto built = farm_programs::build(*scenario.farm_program, {.folder = options.build, .say = {}});
    options.views.prepare(scenario);
    const outcome::Manifest manifest{without_place(invocation.arguments), version_text, options.repeat(scenario)};
    std::optional<outcome::RunFolder> folder;
    if (!options.out.empty()) folder.emplace(options.out, options.force);
    session::FlowbackPlace flowback;
    if (options.flowback.wanted) {
        auto preparation = preparation_of(*scenario.farm_program, options.build);
        try {  // with the e-blocks that the user chose
            if (fs::exists(preparation.output))
                preparation.blocks = tmon_flowback::PreparedProgram(preparation.output).blocks();
        } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): damaged, or of another version: it is made anew
        }
        user_programs::prepare(preparation);
        flowback = logging_version(folder->subfolder("flowback"), preparation.output, options.flowback.store);
    }
    SessionResult result;
    stop_at_interrupt();
    {
        ProgressLine line(options.progress);
        oracle::run_session(scenario, result,
                            {.progress = line.callback(),
                             .trace = folder ? folder->begin_trace(scenario, manifest) : nullptr,
                             .flowback = flowback});
    }
    const tmon_detrek::DetrekResult analysis = analysed(scenario, result.observed);
    const std::string logged = options.flowback.wanted ? finish_flowback(flowback, result.simulated.program.logs) : "";
    if (folder) folder->finish(scenario, result, manifest, analysis.json);
    const ProgramOutput output = output_of(result);
    std::optional<Comparison> comparison;
    if (options.compare) comparison = compared(scenario, built, output);
    const std::string told = put_output(options, scenario, output);
    options.views.finish(scenario, result, manifest, analysis.text);
    if (options.views.report_alone()) {
        put(options.views.report_json());
    } else if (options.json) {
        const std::string summary = outcome::summary_json(scenario, result, manifest, analysis.json);
        put(json_with(options.views.with_prediction(summary, scenario, result), comparison, output));
    } else {
        const std::string printed = scenario.farm_program->output_file.empty() ? output.text + "\n" : std::string();
        const bool reported = report_place(result) != std::string::npos;
        const std::string report = reported ? result.simulated.farm.report + "\n" : std::string();
        put(printed + report + outcome::summary_text(scenario, result, manifest, totals_of(options.totals)) + told + logged +
            options.views.text(scenario, result, totals_of(options.totals)));
        put_ends(result, comparison, analysis, isolate_lines(analysis.verdict, scenario, options.out));
    }
    options.views.write_page();
    if (interrupted != 0) return exit_code::interrupted;
    if (options.exit_zero) return exit_code::nothing_found;
    if (comparison && !comparison->differences.empty()) return exit_code::found;
    return exit_code_of(result, analysis);
}

}  // namespace

void add_farm_run(CLI::App& farm, const Invocation& invocation, int& result) {
    auto options = std::make_shared<FarmRunOptions>();
    CLI::App* command = farm.add_subcommand("run", "Build what has changed, and run the program on the modelled machine");
    add_options(*command, *options);
    command->callback([options, &invocation, &result] { result = run(*options, invocation); });
}

}  // namespace cli
