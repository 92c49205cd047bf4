// order: one run, its records as they arrive, in causal order and in the orders of merges by time.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <forks/child_pool.hpp>
#include <session/session.hpp>
#include <text/output_file.hpp>
#include <tmon_foreign/foreign_trace.hpp>
#include <tmon_pictures/curve_picture.hpp>
#include <tmon_sorted/order_comparison.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/patience_options.hpp"
#include "frame/progress_line.hpp"
#include "frame/scenario_options.hpp"
#include "runs/order_sweep.hpp"
#include "runs/true_clocks.hpp"
#include "traces/standard_trace.hpp"

namespace cli {
namespace {

using tmon_sorted::ComparedOrders;

struct OrderOptions {
    ScenarioOptions scenario;
    PatienceOptions patience;
    std::vector<std::string> sweep;
    std::string csv, picture, progress = "auto", merge = "all";
    bool force = false;

    text::Replace replace() const { return force ? text::Replace::Yes : text::Replace::No; }
};

void check_files(const OrderOptions& options) {
    if (!options.csv.empty() && options.csv == options.picture)
        throw CLI::ValidationError("--csv, --picture", "name the same file; give each one of its own");
    if (!options.csv.empty()) text::check_output_file(options.csv, options.replace());
    if (options.picture.empty()) return;
    as_usage([&] { tmon_pictures::check_picture_kind(options.picture); });
    text::check_output_file(options.picture, options.replace());
}

tmon_pictures::CurvePicture window_picture(const ComparedOrders& result, const std::string& name) {
    tmon_pictures::Curve total{"in the graph", {}, tmon_pictures::CurveStyle::Line};
    tmon_pictures::Curve unreported{"not yet reported", {}, tmon_pictures::CurveStyle::Line};
    for (std::size_t i = 0; i < result.window.size(); ++i) {
        const auto x = static_cast<double>(i + 1);
        total.points.push_back({x, static_cast<double>(result.window[i].total)});
        unreported.points.push_back({x, static_cast<double>(result.window[i].unreported)});
    }
    tmon_pictures::CurvePicture picture;
    picture.title = "Window of the causal sort, " + name;
    picture.x = {"records that came"};
    picture.y = {"records"};
    picture.curves = {total, unreported};
    picture.note = fmt::format("{} nodes; mean {:.2f} in the graph, {:.2f} not yet reported", result.nodes, result.mean_window,
                               result.mean_unreported);
    return picture;
}

bool is_trace(const std::string& place) {
    return place == "-" || std::filesystem::is_directory(place) || place.ends_with(".mwt") ||
           place.ends_with(".mwt.incomplete");
}

std::vector<tmon_order::MergeKind> merges_of(const OrderOptions& options) {
    std::vector<tmon_order::MergeKind> merges = tmon_sorted::all_merges();
    if (options.merge != "all")
        std::erase_if(merges, [&](tmon_order::MergeKind kind) { return tmon_order::merge_name(kind) != options.merge; });
    return merges;
}

void check_monitored(const OrderOptions& options, const scenario::Scenario& scenario) {
    if (scenario.monitor) return;
    throw vocabulary::InputError({options.scenario.file, 0, 0},
                                 "is not monitored, so there are no records; add a 'monitor:' to the scenario");
}

// `progress` may be empty.
ComparedOrders of_run(const OrderOptions& options, const scenario::Scenario& scenario,
                      std::function<bool(const session::Progress&)> progress) {
    const tmon_order::Patience patience = options.patience.read(scenario.farm.nodes);
    tmon_sorted::ArrivalLog arrivals;
    session::Observed observed;
    session::Simulated simulated;
    session::run_session(scenario, observed, simulated, {.progress = std::move(progress), .feed = &arrivals});
    arrivals.moment(static_cast<std::uint64_t>(observed.modelled.in_us()));
    ComparedOrders result = tmon_sorted::compare_orders(arrivals, static_cast<std::uint16_t>(scenario.farm.nodes),
                                                        {merges_of(options), true_clock(simulated.nodes), patience});
    result.traffic = traffic_of(simulated.nodes);
    result.interrupted = interrupted != 0;
    return result;
}

ComparedOrders of_trace(const OrderOptions& options) {
    const ScenarioOptions& run = options.scenario;
    const std::pair<bool, const char*> refused[] = {{!run.set.empty(), "--set"},
                                                    {run.seed.has_value(), "--seed"},
                                                    {!run.links.empty(), "--links"},
                                                    {!run.faults.empty(), "--faults"},
                                                    {!run.bugs.empty(), "--bugs"}};
    for (const auto& [given, name] : refused) {
        if (given) throw CLI::ValidationError(name, "belongs to a run, and this is a stored trace; leave it out");
    }
    const bool given = run.file == "-";
    const auto standard = given ? std::make_unique<StandardTrace>() : nullptr;
    const std::string file = given ? standard->path() : tmon_streams::trace_file(run.file);
    check_files(options);
    stop_at_interrupt();
    ProgressLine line(options.progress);
    tmon_sorted::CompareOptions how{merges_of(options), given ? tmon_sorted::OnClock::Clock() : true_clock_beside(file),
                                    options.patience.read(0), line.records("order")};
    try {
        return tmon_sorted::compare_orders(file, how);
    } catch (const vocabulary::InputError& error) {
        if (!given || error.where().file != file) throw;
        throw vocabulary::InputError({"-", error.where().line, error.where().column}, error.message());
    }
}

// Its events are no records of a monitor, and nobody knows how they came to a host.
void refuse_foreign(const OrderOptions& options) {
    const std::string& place = options.scenario.file;
    if (std::filesystem::is_regular_file(place) && tmon_foreign::is_foreign(place))
        throw vocabulary::InputError(
            {place, 0, 0},
            "is a trace of PICL or OTF2; 'magicwire sort --stats' compares it, by cause, by time and as it stands");
}

OrderSweep::Row row_of(forks::ChildAnswer& answer) {
    using How = forks::ChildAnswer::How;
    if (answer.how == How::Done) return {nlohmann::ordered_json::parse(answer.bytes), ""};
    return {{}, answer.how == How::Failed ? answer.failure : "not run: interrupted"};
}

int sweep(const OrderOptions& options) {
    OrderSweep done;
    for (const std::string& text : options.sweep) done.swept.push_back(twin::parse_swept(text));
    check_swept(options.scenario, done.swept);
    done.points = twin::sweep_points(done.swept);
    for (const auto& point : done.points) {  // reports unreadable input before the first run
        const scenario::Scenario scenario = options.scenario.without_tree(point);
        check_monitored(options, scenario);
        done.scenario = scenario.name;
        options.patience.read(scenario.farm.nodes);
    }
    check_files(options);
    stop_at_interrupt();
    ProgressLine line(options.progress);
    auto answers = forks::run_children(
        done.points.size(),
        [&](std::size_t i) {
            return tmon_sorted::comparison_json(of_run(options, options.scenario.read(done.points[i]), {})).dump();
        },
        [&](std::size_t count) { return line.steps("sweep", count, done.points.size()); });
    line.clear();
    for (forks::ChildAnswer& answer : answers) done.rows.push_back(row_of(answer));
    put(options.scenario.json ? sweep_json(done).dump(2) : sweep_text(done));
    std::fflush(stdout);  // printed whatever becomes of the files
    if (!options.csv.empty()) text::write_text_file(options.csv, sweep_csv(done), options.replace());
    if (!options.picture.empty()) draw_sweep(done, options.picture, options.force);
    if (interrupted != 0) return exit_code::interrupted;
    return done.all_measured() ? exit_code::nothing_found : exit_code::unknown;
}

ComparedOrders of_one_run(const OrderOptions& options, const scenario::Scenario& scenario) {
    check_monitored(options, scenario);
    check_files(options);
    options.patience.read(scenario.farm.nodes);
    stop_at_interrupt();
    ProgressLine line(options.progress);
    return of_run(options, scenario, line.callback());
}

int order(OrderOptions& options) {
    options.scenario.takes_halo = options.scenario.takes_mpi = true;
    refuse_foreign(options);
    const bool stored = is_trace(options.scenario.file);
    if (stored && !options.sweep.empty())
        throw CLI::ValidationError("--sweep", "runs a scenario again and again, and this is a stored trace; give a scenario");
    if (!options.sweep.empty()) return sweep(options);
    const scenario::Scenario scenario = stored ? scenario::Scenario{} : options.scenario.read();
    const ComparedOrders figures = stored ? of_trace(options) : of_one_run(options, scenario);
    if (options.scenario.json) {
        put(tmon_sorted::comparison_json(figures).dump(2));
    } else {
        put(tmon_sorted::comparison_text(figures));
    }
    std::fflush(stdout);  // printed whatever becomes of the files
    if (figures.interrupted && stored) tell_error(exit_code::interrupted, "interrupted; the figures are of the first records");
    if (!options.csv.empty()) text::write_text_file(options.csv, tmon_sorted::window_csv(figures), options.replace());
    if (!options.picture.empty())
        tmon_pictures::draw_curves({window_picture(figures, stored ? options.scenario.file : scenario.name)}, options.picture,
                                   options.replace());
    return interrupted != 0 ? exit_code::interrupted : exit_code::nothing_found;
}

}  // namespace

void add_order(CLI::App& app, int& result) {
    auto options = std::make_shared<OrderOptions>();
    CLI::App* command = app.add_subcommand(
        "order", "Order records as they arrive, of a run or a stored trace: by cause, and by merges of time stamps beside it");
    options->scenario.add_to(*command, "SCENARIO|TRACE",
                             "scenario file (YAML), folder of a run, or its data.mwt; - for a trace on standard input");
    command->get_option("SCENARIO|TRACE")->get_validator()->active(false);  // '-' is a trace
    std::vector<std::string> merges{"all"};
    for (const tmon_order::MergeKind kind : tmon_sorted::all_merges()) merges.emplace_back(tmon_order::merge_name(kind));
    command->add_option("--merge", options->merge, "the merge beside the sort, or all")
        ->check(CLI::IsMember(merges))
        ->capture_default_str();
    command
        ->add_option("--sweep", options->sweep,
                     "run every combination: NAME=V1,V2,... of a setting; several allowed (';' between values with commas)")
        ->type_name("NAME=V1,V2");
    command->add_option("--csv", options->csv, "file for the window of the causal sort after each record; of a sweep its table")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("--picture", options->picture, "draw that window, or the curves of a sweep (.svg, .png)")
        ->type_name("FILE")
        ->check(file_name());
    options->patience.add_to(*command);
    command->add_flag("-f,--force", options->force, "replace these files");
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->footer(
        "Orders: cause, the causal sort; arrival, each record as it comes; oldest, of what comes at one moment;\n"
        "wait, the oldest when each node has one here; wait+flush+heartbeat, likewise, and a heartbeat stands for a record.\n\n"
        "Examples:\n  magicwire order examples/thesis/dc8.yaml\n"
        "  magicwire order examples/tmon/farm.yaml --set monitor.buffer=3 --picture window.svg\n"
        "  magicwire order examples/tmon/farm.yaml --sweep monitor.buffer=8,32,128 --sweep monitor.flush=0us,4ms --csv "
        "orders.csv\n"
        "  magicwire order out                       # without delays: a trace does not say when the host got its blocks\n");
    command->callback([options, &result] { result = order(*options); });
}

}  // namespace cli
