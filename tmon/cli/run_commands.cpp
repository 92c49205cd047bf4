// run, overhead and predict: commands that need the modelled machine.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon/detrek.hpp>
#include <tmon_session/outputs.hpp>
#include <tmon_session/overhead.hpp>
#include <tmon_session/predict.hpp>
#include <tmon_session/resolve_tree.hpp>
#include <tmon_session/scenario.hpp>
#include <tmon_session/session.hpp>
#include <vocabulary/source_position.hpp>

#include "command.hpp"
#include "progress_line.hpp"
#include "run_options.hpp"
#include "run_views.hpp"

namespace tmon_cli {
namespace {

using tmon_session::Progress;
using tmon_session::Scenario;
using tmon_session::SessionResult;
using tmon_session::Setting;

struct ScenarioOptions {
    std::string file, faults, bugs;
    std::vector<std::string> set;
    std::optional<std::uint64_t> seed;
    std::string links;
    bool json = false;

    void add_to(CLI::App& command) {
        command.add_option("SCENARIO", file, "scenario file (YAML)")->required();
        command
            .add_option_function<std::string>(
                "--seed", [this](const std::string& text) { seed = whole_number("--seed", text); },
                "instead of the scenario's: decides clock offsets and drifts")
            ->type_name("NUMBER");
        command
            .add_option(
                "--set", set,
                "NAME=VALUE: change a cost ('magicwire costs') or a value of the scenario (farm.tasks, monitor=off, ...)")
            ->take_all();
        command.add_option("--links", links, "message: a message is one transfer; byte: each packet on the wire, slower")
            ->check(CLI::IsMember({"message", "byte"}));
        command.add_option("--faults", faults, "fault plan, instead of the scenario's ('magicwire faults' lists the verbs)")
            ->type_name("FILE");
        command.add_option("--bugs", bugs, "bug list, instead of the scenario's ('magicwire bugs' explains the kinds)")
            ->type_name("FILE");
        command.add_flag("--json", json, "print JSON");
    }

    Scenario read() const {
        std::vector<Setting> settings = settings_of(set);
        if (!links.empty()) settings.emplace_back("links", links);
        Scenario scenario = tmon_session::read_scenario(file, settings, seed, faults, bugs);
        tmon_session::resolve_tree(scenario);
        return scenario;
    }

    std::string repeat(const char* verb, const Scenario& scenario) const {
        std::string line = fmt::format("magicwire {} {} --seed {}", verb, quoted(file), scenario.seed);
        if (!faults.empty()) line += " --faults " + quoted(faults);
        if (!bugs.empty()) line += " --bugs " + quoted(bugs);
        for (const std::string& text : set) line += " --set " + quoted(text);
        if (!links.empty()) line += " --links " + links;
        return line;
    }
};

struct RunOptions {
    ScenarioOptions scenario;
    std::string out, progress = "auto", totals, vcd, watch;
    RunViews views;
    bool force = false, exit_zero = false;
};

int run(RunOptions& options, const Invocation& invocation) {
    Scenario scenario = options.scenario.read();
    scenario.vcd = options.vcd;
    if (!options.vcd.empty()) scenario.watches = hw_model::parse_watches(options.watch, scenario.machine, "--watch");
    if (!options.out.empty()) tmon_session::check_output_place(options.out, options.force);  // before the work, not after it
    options.views.prepare(scenario);
    SessionResult result;
    stop_at_interrupt();
    {
        ProgressLine line(options.progress);
        tmon_session::run_session(scenario, result, line.callback());
    }
    const tmon_session::Manifest manifest{without_place(invocation.arguments), version_text,
                                          options.scenario.repeat("run", scenario)};
    tmon::DetrekResult analysis;
    if (result.trace) analysis = tmon::report_detrek(*result.trace, tmon_session::farm_spec(scenario.farm), {});
    if (!options.out.empty())
        tmon_session::write_outputs(options.out, scenario, result, manifest, analysis.json, options.force);

    options.views.finish(scenario, result, manifest, analysis.text);
    if (options.views.report_alone()) {
        put(options.views.report_json());
    } else if (options.scenario.json) {
        put(options.views.with_prediction(tmon_session::summary_json(scenario, result, manifest, analysis.json), scenario,
                                          result));
    } else {
        if (!result.console.empty()) put(result.console + "\n");
        put(tmon_session::summary_text(scenario, result, manifest, totals_of(options.totals)));
        if (!options.out.empty())
            put("  files        " + options.out + "/data.{all,config,tvm,spf,mwt}, oracle.json, summary.json, console.txt");
        if (const std::string more = options.views.text(scenario, result, totals_of(options.totals)); !more.empty()) put(more);
        if (result.trace) put("\n" + analysis.text);
        if (!result.trace && !result.farm.finished)
            put("\nThe farm did not finish, and nobody watched; add a 'monitor:' to the scenario to find out why.");
    }
    if (interrupted != 0) return exit_code::interrupted;
    if (options.exit_zero) return exit_code::nothing_found;
    if (result.program.found()) return exit_code::found;
    if (result.trace) return analysis.exit_code;
    return result.farm.finished ? exit_code::nothing_found : exit_code::unknown;
}

}  // namespace

void add_run(CLI::App& app, const Invocation& invocation, int& result) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "Run a scenario: boot, load, run under the monitor, find the fault");
    options->scenario.add_to(*command);
    command->add_option("--out", options->out, "new folder for the trace files, the oracle and the totals");
    command->add_flag("-f,--force", options->force, "replace that folder");
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command
        ->add_option(
            "--totals", options->totals,
            "rows of links and nodes: all, top (the 16 busiest of each) or none; without it all up to 16 nodes, else top")
        ->check(CLI::IsMember({"all", "top", "none"}));
    options->views.add_to(*command);
    CLI::Option* vcd =
        command->add_option("--vcd", options->vcd, "file for waveforms of --watch (VCD, for GTKWave); replaced if it is there");
    CLI::Option* watch =
        command->add_option("--watch", options->watch,
                            "NAME,NAME,...: links (n0.1, host.0), outputs of switches (x0.5), and event, ack, error, "
                            "halted or busy of a node (n0.busy)");
    vcd->needs(watch);
    watch->needs(vcd);
    command->add_flag("--exit-zero", options->exit_zero, "exit with 0 also when a fault was found or the answer is unknown");
    command->footer(
        "Examples:\n  magicwire run examples/thesis/dc8.yaml\n  magicwire run examples/thesis/dc8.yaml --seed 7 --set "
        "farm.tasks=200 --out out\n"
        "  magicwire run examples/thesis/chain6.yaml --json | jq .distribution\n"
        "  magicwire run examples/thesis/dc8.yaml --report text --report-page farm.html\n"
        "  magicwire run examples/thesis/chain6.yaml --vcd chain6.vcd --watch n0.1,n0.busy,n1.busy\n");
    command->callback([options, &invocation, &result] { result = run(*options, invocation); });
}

void add_overhead(CLI::App& app, int& result) {
    auto options = std::make_shared<ScenarioOptions>();
    CLI::App* command = app.add_subcommand(
        "overhead", "Run a scenario and its twin without probes; print slow-down, bill and first change of order");
    options->add_to(*command);
    command->footer("Example:\n  magicwire overhead examples/thesis/dc8.yaml\n");
    command->callback([options, &result] {
        const Scenario scenario = options->read();
        const tmon_session::Overhead overhead = tmon_session::measure_overhead(scenario);
        put(options->json ? tmon_session::overhead_json(scenario, overhead) : tmon_session::overhead_text(scenario, overhead));
        result = exit_code::nothing_found;
    });
}

namespace {

struct PredictOptions {
    ScenarioOptions scenario;
    std::vector<std::string> topologies;
    bool run = false;
};

int predict(const PredictOptions& options) {
    const Scenario scenario = options.scenario.read();
    const farm_model::Prediction prediction = tmon_session::predict(scenario);
    const auto topologies = tmon_session::predict_topologies(scenario, options.topologies, prediction.costs);
    std::optional<tmon_session::Observed> observed;
    if (options.run) {
        SessionResult result;
        stop_at_interrupt();
        tmon_session::run_session(scenario, result, [](const Progress&) { return interrupted == 0; });
        observed = tmon_session::observed(scenario, result);
    }
    const auto* run = observed ? &*observed : nullptr;
    put(options.scenario.json ? tmon_session::prediction_json(scenario, prediction, run, topologies)
                              : tmon_session::prediction_text(scenario, prediction, run, topologies));
    return interrupted != 0 ? exit_code::interrupted : exit_code::nothing_found;
}

}  // namespace

void add_predict(CLI::App& app, int& result) {
    auto options = std::make_shared<PredictOptions>();
    CLI::App* command = app.add_subcommand("predict", "Say before a run how fast a farm will be, and what holds it back");
    options->scenario.add_to(*command);
    command->add_flag("--run", options->run, "run it as well, and print both with the error");
    command
        ->add_option("--topologies", options->topologies,
                     "the same farm on other trees of as many nodes: chain, binary, ternary, best (the best in the machine)")
        ->delimiter(',')
        ->type_name("NAME,...");
    command->footer(
        "Examples:\n  magicwire predict examples/survival/chain6.yaml\n"
        "  magicwire predict examples/survival/chain6.yaml --run --set farm.tasks=500\n"
        "  magicwire predict examples/survival/chain6.yaml --topologies chain,binary,ternary,best --json\n");
    command->callback([options, &result] { result = predict(*options); });
}

}  // namespace tmon_cli
