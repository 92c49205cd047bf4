// run and predict: commands that need the modelled machine.
#include <memory>
#include <string>

#include <fmt/format.h>

#include <host_files/host_files.hpp>
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>
#include <outcome/run_folder.hpp>
#include <prediction/predict.hpp>
#include <scenario/scenario.hpp>
#include <text/output_file.hpp>
#include <text/shell_words.hpp>
#include <tmon_detrek/growing_analysis.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/source_position.hpp>

#include "flowback/flowback_place.hpp"
#include "frame/command.hpp"
#include "frame/patience_options.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/futures_run.hpp"
#include "runs/phases_run.hpp"
#include "runs/run_views.hpp"
#include "runs/sorted_run.hpp"
#include "traces/isolate_line.hpp"

namespace cli {
namespace {

using oracle::SessionResult;
using scenario::Scenario;
using session::Progress;

struct RunOptions {
    ScenarioOptions scenario;
    std::string out, oracle, progress = "auto", totals, vcd, watch;
    RunViews views;
    FutureOptions futures;
    PatienceOptions patience;
    std::string sorted;
    LogOptions flowback;
    bool force = false, exit_zero = false, stream = false, without_truth = false;
};

// The lines must replace no input, and no other output.
void check_sorted_place(const RunOptions& options) {
    namespace fs = std::filesystem;
    const fs::path place = fs::absolute(options.sorted).lexically_normal();
    const auto is = [&](const std::string& other) {
        std::error_code ignored;
        return !other.empty() && (fs::equivalent(place, other, ignored) || place == fs::absolute(other).lexically_normal());
    };
    const auto refuse = [&](const char* why) { throw vocabulary::InputError({options.sorted, 0, 0}, why); };
    const ScenarioOptions& from = options.scenario;
    if (is(from.file) || is(from.faults) || is(from.bugs)) refuse("is an input of this run; name another file with --sorted");
    if (is(options.oracle) || is(options.vcd)) refuse("is another output of this run; name another file with --sorted");
    if (options.out.empty()) return;
    const fs::path folder = fs::absolute(options.out).lexically_normal();
    if (is(options.out) || place.parent_path() == folder)
        refuse("lies in the folder of --out, which the run makes; name a file elsewhere with --sorted");
}

// Before the work, not after it.
void check_places(const RunOptions& options, const Scenario& scenario) {
    if (!options.vcd.empty()) text::check_output_file(options.vcd, text::Replace::Yes);
    if (!options.oracle.empty()) text::check_output_file(options.oracle, text::Replace::Yes);
    if (!options.out.empty()) outcome::check_output_place(options.out, options.force);
    if (options.stream && !scenario.monitor)
        throw vocabulary::InputError({"--stream", 0, 0},
                                     "the scenario is not monitored, so there are no records; leave it out");
    if (!options.sorted.empty() && options.sorted != "-") check_sorted_place(options);
    if (!options.sorted.empty() && !scenario.monitor)
        throw vocabulary::InputError({"--sorted", 0, 0},
                                     "the scenario is not monitored, so there are no records; leave it out");
}

void put_result(RunOptions& options, const Scenario& scenario, const SessionResult& result, const outcome::Manifest& manifest,
                const tmon_detrek::DetrekResult& analysis) {
    options.views.finish(scenario, result, manifest, analysis.text);
    if (options.views.report_alone()) {
        put(options.views.report_json());
    } else if (options.scenario.json) {
        put(options.views.with_prediction(outcome::summary_json(scenario, result, manifest, analysis.json), scenario, result));
    } else {
        if (!result.observed.console.empty()) put(result.observed.console + "\n");
        put(outcome::summary_text(scenario, result, manifest, totals_of(options.totals)));
        if (!options.out.empty())
            put("  files        " + options.out +
                (result.observed.streamed ? "/data.{config,spf,mwt}" : "/data.{all,config,tvm,spf,mwt}") +
                (result.has_truth ? ", oracle.json" : "") + ", summary.json, console.txt");
        if (const std::string more = options.views.text(scenario, result, totals_of(options.totals)); !more.empty()) put(more);
        if (result.observed.streamed) put("\nStreamed: no farm report or oracle lists, which need all records at once.");
        if (scenario.mpi) return;
        if (result.observed.trace) put("\n" + analysis.text + isolate_lines(analysis.verdict, scenario, options.out));
        if (!result.observed.trace && !result.simulated.farm.finished)
            put("\nThe farm did not finish and was not monitored; add a 'monitor:' to the scenario to find out why.");
    }
}

// The verdict of a streamed run. The trace file is read again only when records contradict each other.
tmon_detrek::DetrekResult grown(const tmon_detrek::GrowingAnalysis& growing, const session::Observed& observed,
                                const std::string& trace_file) {
    return growing.report(*observed.trace, [&] {
        tmon_streams::Trace whole = tmon_streams::load_trace(trace_file).trace;
        whole.session = observed.end;
        whole.dropped_messages = observed.trace->dropped_messages;
        whole.reported_results = observed.trace->reported_results;
        whole.marks_take_other_ways = observed.trace->marks_take_other_ways;
        return whole;
    });
}

int run_with_futures(const RunOptions& options, const Scenario& scenario, const Invocation& invocation) {
    FuturesRun run{options.out, options.progress, options.force, options.scenario.json, options.exit_zero, {}};
    run.manifest = [&, seed = scenario.seed](const std::string& changes) {
        outcome::Manifest manifest{without_place(invocation.arguments), version_text, options.scenario.repeat("run", seed)};
        if (changes.empty()) return manifest;
        manifest.arguments.insert(manifest.arguments.end(), {"--fork-at", options.futures.at, "--what-if", changes});
        manifest.repeat +=
            fmt::format(" --fork-at {} --what-if {}", text::shell_word(options.futures.at), text::shell_word(changes));
        return manifest;
    };
    return run_futures(scenario, options.futures, run);
}

int run_all_phases(const RunOptions& options, const Scenario& scenario, const Invocation& invocation) {
    const std::pair<bool, const char*> refused[] = {{!options.vcd.empty(), "--vcd"},
                                                    {!options.oracle.empty(), "--oracle"},
                                                    {!options.views.report.empty(), "--report"},
                                                    {!options.views.page.empty(), "--report-page"},
                                                    {options.views.predict, "--predict"},
                                                    {options.futures.wanted(), "--fork-at"},
                                                    {options.stream, "--stream"},
                                                    {!options.sorted.empty(), "--sorted"},
                                                    {options.flowback.wanted, "--flowback"},
                                                    {options.without_truth, "--without-truth"}};
    for (const auto& [given, name] : refused) {
        if (given)
            throw vocabulary::InputError({name, 0, 0},
                                         "is for one farm, and the scenario has phases with a farm each; leave it out, or give "
                                         "a scenario of one farm");
    }
    return run_phases(scenario, {.out = options.out,
                                 .progress = options.progress,
                                 .totals = totals_of(options.totals),
                                 .force = options.force,
                                 .json = options.scenario.json,
                                 .exit_zero = options.exit_zero,
                                 .manifest = {without_place(invocation.arguments), version_text,
                                              options.scenario.repeat("run", scenario.seed)}});
}

int run(RunOptions& options, const Invocation& invocation) {
    if (options.stream && options.out.empty())
        throw CLI::ValidationError("--stream", "the records need a place; add --out FOLDER");
    options.scenario.takes_halo = options.scenario.takes_mpi = true;
    const Scenario scenario = options.scenario.read_run();
    if (!scenario.phases.empty()) return run_all_phases(options, scenario, invocation);
    if (options.futures.wanted() && scenario.halo)
        throw vocabulary::InputError({"--fork-at", 0, 0}, "is for farms, and the scenario runs a halo; leave it out");
    if (options.futures.wanted() && !scenario.files.empty())
        throw vocabulary::RequestError("branches would write the same files of the host; leave 'files' or '--fork-at' out");
    if (options.futures.wanted()) return run_with_futures(options, scenario, invocation);
    session::WaveFile waves{options.vcd, {}};
    if (!options.vcd.empty()) waves.watches = topologies::parse_watches(options.watch, scenario.machine, "--watch");
    check_places(options, scenario);
    if (options.flowback.wanted && scenario.program.empty() && !scenario.mpi)
        throw vocabulary::InputError({"--flowback", 0, 0},
                                     "is for programs in C or C++, and the scenario runs none; leave it out");
    if (scenario.halo) options.views.refuse_without_farm("a halo");
    if (scenario.mpi) options.views.refuse_without_farm("an MPI program");
    options.views.prepare(scenario);
    const outcome::Manifest manifest{without_place(invocation.arguments), version_text,
                                     options.scenario.repeat("run", scenario.seed)};
    const std::string prepared = options.flowback.wanted ? prepared_of(scenario.mpi ? scenario.mpi->program : scenario.program,
                                                                       options.flowback.prepared)
                                                         : "";
    std::optional<outcome::RunFolder> folder;
    if (!options.out.empty()) folder.emplace(options.out, options.force);
    session::FlowbackPlace flowback;
    if (options.flowback.wanted) flowback = logging_version(folder->subfolder("flowback"), prepared, options.flowback.store);
    const auto files = scenario.files.empty() ? nullptr : std::make_unique<host_files::HostFiles>(scenario.files);
    std::optional<tmon_detrek::GrowingAnalysis> growing;
    if (options.stream && scenario.farm.nodes > 0 && !scenario.mpi) growing.emplace(scenario.farm);
    tmon_streams::TraceFeed* feed = growing ? &*growing : nullptr;
    std::optional<SortedRun> sorted;
    if (!options.sorted.empty()) {
        sorted.emplace(options.sorted, static_cast<std::uint16_t>(scenario.farm.nodes), options.force,
                       options.patience.read(scenario.farm.nodes), feed);
        feed = &*sorted;
    }
    SessionResult result;
    stop_at_interrupt();
    trace_record::TraceFileWriter* const trace = folder ? folder->begin_trace(scenario, manifest, !options.stream) : nullptr;
    {
        ProgressLine line(options.progress);
        oracle::run_session(scenario, result,
                            {.progress = line.callback(),
                             .trace = trace,
                             .stream = options.stream,
                             .feed = feed,
                             .waves = waves,
                             .files = files.get(),
                             .flowback = flowback},
                            {.truth = !options.without_truth});
    }
    const tmon_detrek::DetrekResult analysis =
        growing ? grown(*growing, result.observed, trace->growing_path()) : analysed(scenario, result.observed);
    const std::string logged = options.flowback.wanted
                                   ? finish_flowback(flowback, result.simulated.mpi ? result.simulated.mpi->result.logs
                                                                                    : result.simulated.program.logs)
                                   : "";
    if (folder) folder->finish(scenario, result, manifest, analysis.json);
    if (!options.oracle.empty())
        text::write_text_file(options.oracle, outcome::oracle_json(scenario, result) + "\n", text::Replace::Yes);

    put_result(options, scenario, result, manifest, analysis);
    if (!logged.empty() && !options.scenario.json) put(logged);
    if (sorted) {
        sorted->finish(static_cast<std::uint64_t>(result.observed.modelled.in_us()));
        if (!options.scenario.json) put(sorted->text());
    }
    options.views.write_page();
    if (interrupted != 0) return exit_code::interrupted;
    return options.exit_zero ? exit_code::nothing_found : exit_code_of(result, analysis);
}

}  // namespace

void add_run(CLI::App& app, const Invocation& invocation, int& result) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "Run a scenario: boot, load, run under the monitor, find the fault");
    options->scenario.add_to(*command);
    options->scenario.add_files_to(*command);
    command->add_option("--out", options->out, "new folder for the trace files, the oracle and the totals")
        ->type_name("FOLDER")
        ->check(file_name());
    command->add_flag("-f,--force", options->force, "replace that folder");
    command->add_option("--oracle", options->oracle, "file for the ground truth alone; replaced if it exists")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command
        ->add_option(
            "--totals", options->totals,
            "rows of links and nodes: all, top (the 16 busiest of each) or none; default: all up to 16 nodes, else top")
        ->check(CLI::IsMember({"all", "top", "none"}));
    options->views.add_to(*command);
    CLI::Option* vcd =
        command->add_option("--vcd", options->vcd, "file for waveforms of --watch (VCD, for GTKWave); replaced if it exists")
            ->type_name("FILE")
            ->check(file_name());
    CLI::Option* watch =
        command
            ->add_option("--watch", options->watch,
                         "NAME,NAME,...: links (n0.1, host.0), outputs of switches (x0.5), and event, ack, error, "
                         "halted or busy of a node (n0.busy)")
            ->type_name("NAMES");
    vcd->needs(watch);
    watch->needs(vcd);
    options->futures.add_to(*command);
    CLI::Option* stream =
        command->add_flag("--stream", options->stream, "write records to --out only, so that memory does not grow with them");
    CLI::Option* without_truth = command->add_flag("--without-truth", options->without_truth,
                                                   "for developers: run without the truth observer (campaigns/truth.yaml)");
    without_truth->group("")->excludes(command->get_option("--oracle"));
    command
        ->add_option("--sorted", options->sorted,
                     "file for the records in causal order, a JSON line each as it is reported; -: standard output")
        ->type_name("FILE")
        ->excludes(command->get_option("--fork-at"));
    options->patience.add_to(*command);
    for (const char* of_sorted : {"--suspect-after", "--give-up-after", "--crashed"})
        command->get_option(of_sorted)->needs(command->get_option("--sorted"));
    for (const char* whole : {"--report", "--report-page", "--predict", "--fork-at"}) {
        stream->excludes(command->get_option(whole));
        without_truth->excludes(command->get_option(whole));
    }
    command
        ->add_flag("--flowback", options->flowback.wanted,
                   "keep logs in --out, from which `magicwire flowback` says where values came from")
        ->needs(command->get_option("--out"))
        ->excludes(command->get_option("--fork-at"));
    options->flowback.add_store(*command);
    options->flowback.add_prepared(*command);
    command->add_flag("--exit-zero", options->exit_zero, "exit with 0 also when a fault was found or the answer is unknown");
    command->footer(
        "Examples:\n  magicwire run examples/thesis/dc8.yaml\n  magicwire run examples/thesis/dc8.yaml --seed 7 --set "
        "farm.tasks=200 --out out\n"
        "  magicwire run examples/thesis/chain6.yaml --json | jq .distribution\n"
        "  magicwire run examples/thesis/dc8.yaml --report text --report-page farm.html\n"
        "  magicwire run examples/thesis/chain6.yaml --vcd chain6.vcd --watch n0.1,n0.busy,n1.busy\n"
        "  magicwire run examples/thesis/dc8.yaml --sorted - | jq -r .id   # in causal order, while it runs\n"
        "  magicwire run examples/thesis/dc8.yaml --fork-at 730ms --what-if seed=2 --what-if 'fault=die n5'\n");
    command->callback([options, &invocation, &result] { result = run(*options, invocation); });
}

namespace {

struct PredictOptions {
    ScenarioOptions scenario;
    std::vector<std::string> topologies;
    bool run = false;
};

int predict(const PredictOptions& options) {
    const Scenario scenario = options.scenario.read();
    const farm_model::Prediction prediction = prediction::predict(scenario);
    const auto topologies = prediction::predict_topologies(scenario, options.topologies, prediction.costs);
    std::optional<oracle::Measured> measured;
    if (options.run) {
        SessionResult result;
        stop_at_interrupt();
        oracle::run_session(scenario, result, {.progress = [](const Progress&) { return interrupted == 0; }});
        measured = oracle::measured(scenario, result);
    }
    const auto* run = measured ? &*measured : nullptr;
    put(options.scenario.json ? prediction::prediction_json(scenario, prediction, run, topologies)
                              : prediction::prediction_text(scenario, prediction, run, topologies));
    return interrupted != 0 ? exit_code::interrupted : exit_code::nothing_found;
}

}  // namespace

void add_predict(CLI::App& app, int& result) {
    auto options = std::make_shared<PredictOptions>();
    CLI::App* command = app.add_subcommand("predict", "Predict a farm's speed and its bottleneck before it runs");
    options->scenario.add_to(*command);
    options->scenario.add_input_to(*command);
    command->add_flag("--run", options->run, "also run it, and print both with the error");
    command
        ->add_option("--topologies", options->topologies,
                     "the same farm on other trees of the same size: chain, binary, ternary, best (the best in the machine)")
        ->delimiter(',')
        ->type_name("NAME,...");
    command->footer(
        "Examples:\n  magicwire predict examples/survival/chain6.yaml\n"
        "  magicwire predict examples/survival/chain6.yaml --run --set farm.tasks=500\n"
        "  magicwire predict examples/survival/chain6.yaml --topologies chain,binary,ternary,best --json\n");
    command->callback([options, &result] { result = predict(*options); });
}

}  // namespace cli
