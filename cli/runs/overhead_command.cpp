// overhead: the price of monitoring one scenario, or of a whole sweep of settings.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <scenario/scenario.hpp>
#include <text/output_file.hpp>
#include <text/shell_words.hpp>
#include <tmon_pictures/curve_picture.hpp>
#include <twin/overhead.hpp>
#include <twin/overhead_sweep.hpp>

#include "flowback/flowback_place.hpp"
#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/order_sweep.hpp"

namespace cli {
namespace {

using scenario::Scenario;
using scenario::Setting;
using twin::OverheadSweep;
using twin::SweepRow;

struct OverheadOptions {
    ScenarioOptions scenario;
    std::vector<std::string> sweep;
    std::string csv, picture, by;
    bool dry_run = false, force = false;
    LogOptions flowback;
};

void check_combination(const OverheadOptions& options) {
    const bool files = !options.csv.empty() || !options.picture.empty();
    if (options.sweep.empty() && (files || options.dry_run))
        throw CLI::ValidationError("--csv, --picture, --dry-run", "belong to a sweep; add --sweep NAME=V1,V2");
    if (!options.sweep.empty() && !options.by.empty())
        throw CLI::ValidationError("--by",
                                   "selects a table of one run's bill, and a sweep prints no bill; leave one of the two out");
    if (options.scenario.json && !options.by.empty())
        throw CLI::ValidationError("--by", "chooses a table of the text, and JSON has them all; leave one of the two out");
    if (options.dry_run && files)
        throw CLI::ValidationError("--dry-run",
                                   "runs nothing, so there is nothing for --csv or --picture; leave one of them out");
}

void check_files(const OverheadOptions& options) {
    const auto replace = options.force ? text::Replace::Yes : text::Replace::No;
    if (!options.picture.empty()) {
        as_usage([&] { tmon_pictures::check_picture_kind(options.picture); });
        text::check_output_file(options.picture, replace);
    }
    if (!options.csv.empty()) text::check_output_file(options.csv, replace);
}

// The command that measures one point.
std::string point_line(const ScenarioOptions& options, const std::vector<Setting>& point) {
    std::string line = "magicwire overhead " + text::shell_word(options.file);
    if (options.seed) line += fmt::format(" --seed {}", *options.seed);
    for (const std::string& text : options.set) line += " --set " + text::shell_word(text);
    for (const auto& [name, value] : point) line += " --set " + text::shell_word(name + "=" + value);
    if (!options.faults.empty()) line += " --faults " + text::shell_word(options.faults);
    if (!options.bugs.empty()) line += " --bugs " + text::shell_word(options.bugs);
    if (!options.links.empty()) line += " --links " + options.links;
    return line;
}

std::string point_lines(const ScenarioOptions& options, const std::vector<std::vector<Setting>>& points) {
    std::string lines;
    for (const auto& point : points) lines += point_line(options, point) + "\n";
    return lines;
}

int sweep(const OverheadOptions& options) {
    std::vector<twin::SweptSetting> swept;
    for (const std::string& text : options.sweep) swept.push_back(twin::parse_swept(text));
    check_swept(options.scenario, swept);
    const auto points = twin::sweep_points(swept);
    const std::string name = options.scenario.without_tree().name;
    for (const auto& point : points) options.scenario.without_tree(point);  // reports unreadable input before the first run
    if (options.dry_run) {
        put(options.scenario.json ? twin::sweep_json({name, swept, points, std::vector<SweepRow>(points.size())})
                                  : point_lines(options.scenario, points));
        return exit_code::nothing_found;
    }
    stop_at_interrupt();
    ProgressLine line;
    const OverheadSweep done = twin::sweep_overhead(
        name, swept, [&](const std::vector<Setting>& point) { return options.scenario.read(point); },
        [&](std::size_t count) { return line.steps("sweep", count, points.size()); });
    line.clear();
    const auto replace = options.force ? text::Replace::Yes : text::Replace::No;
    put(options.scenario.json ? twin::sweep_json(done) : twin::sweep_text(done));
    std::fflush(stdout);  // reported whatever becomes of the files
    if (!options.csv.empty()) text::write_text_file(options.csv, twin::sweep_csv(done), replace);
    if (!options.picture.empty()) twin::draw_sweep(done, options.picture, options.force);
    if (interrupted != 0) return exit_code::interrupted;
    return done.count(SweepRow::State::Failed) > 0 ? exit_code::unknown : exit_code::nothing_found;
}

const std::vector<std::string> tables = {"cause", "node", "link", "probe", "class"};  // in the order of BillBy

std::optional<twin::BillBy> table_of(const std::string& name) {
    const auto found = std::find(tables.begin(), tables.end(), name);
    if (found == tables.end()) return std::nullopt;
    return static_cast<twin::BillBy>(found - tables.begin());
}

int overhead(const OverheadOptions& options) {
    check_combination(options);
    check_files(options);
    if (!options.sweep.empty()) return sweep(options);
    const Scenario scenario = options.scenario.read();
    std::optional<PassingFolder> folder;
    twin::LoggedVersions versions;
    if (options.flowback.wanted) {
        if (scenario.program.empty() && !scenario.mpi)
            throw vocabulary::InputError({"--flowback", 0, 0},
                                         "is for programs in C or C++, and the scenario runs none; leave it out");
        const std::string prepared =
            prepared_of(scenario.mpi ? scenario.mpi->program : scenario.program, options.flowback.prepared);
        folder.emplace();
        versions.logging = logging_version(folder->path(), prepared, options.flowback.store);
        versions.plain = plain_version(folder->path(), prepared);
    }
    try {
        const twin::Overhead overhead = twin::measure_overhead(scenario, versions);
        put(options.scenario.json ? twin::overhead_json(scenario, overhead)
                                  : twin::overhead_text(scenario, overhead, table_of(options.by)));
    } catch (const twin::RunTooLong& error) {
        tell_error(exit_code::budget, error.what());
        return exit_code::budget;
    }
    return exit_code::nothing_found;
}

}  // namespace

void add_overhead(CLI::App& app, int& result) {
    auto options = std::make_shared<OverheadOptions>();
    options->scenario.takes_halo = options->scenario.takes_mpi = true;
    CLI::App* command = app.add_subcommand(
        "overhead", "Run a scenario and its twin without probes; bill the difference along the critical path, part by part");
    options->scenario.add_to(*command);
    command
        ->add_option("--sweep", options->sweep,
                     "NAME=V1,V2,...: measure every combination of these values (V1;V2 if values have commas); may be repeated")
        ->take_all();
    command
        ->add_option("--by", options->by, "print only this table of the bill, with all rows: cause, node, link, probe or class")
        ->check(CLI::IsMember(tables));
    command
        ->add_flag("--flowback", options->flowback.wanted,
                   "the run keeps logs for flowback, and its twin keeps none; the scenario need not be monitored")
        ->excludes(command->get_option("--sweep"));
    options->flowback.add_store(*command);
    options->flowback.add_prepared(*command);
    command->add_option("--csv", options->csv, "new file for the table of a sweep")->type_name("FILE")->check(file_name());
    command->add_option("--picture", options->picture, "new file, .svg or .png, for the curves of a sweep (needs gnuplot)")
        ->type_name("FILE")
        ->check(file_name());
    command->add_flag("--dry-run", options->dry_run, "list the runs of a sweep and run none");
    command->add_flag("-f,--force", options->force, "replace these files");
    command->footer(
        "Examples:\n  magicwire overhead examples/thesis/dc8.yaml\n"
        "  magicwire overhead examples/thesis/dc8.yaml --by node --set application.grain=10ms\n"
        "  magicwire overhead examples/thesis/dc16_late.yaml --sweep monitor.buffer=32,64,128,256 --picture buffer.svg\n"
        "  magicwire overhead examples/thesis/dc16_late.yaml --sweep "
        "'monitor.unload=1000s/0/0;1000s/32/32;230ms/32/32,1000s/0/0' "
        "\\\n    --sweep monitor.buffer=64,128 --csv table.csv\n"
        "Exit codes: 4 some points could not be measured, and their rows say why; 6 the run is too long for its bill.\n");
    command->callback([options, &result] { result = overhead(*options); });
}

}  // namespace cli
