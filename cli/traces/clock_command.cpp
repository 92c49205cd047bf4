// clocks: how well the clocks of a stored trace agree, from its records; and against the truth, when the oracle lies beside it.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/output_file.hpp>
#include <tmon_clocks/clock_report.hpp>
#include <tmon_oracle/clock_errors.hpp>
#include <tmon_sorted/sort_trace.hpp>
#include <tmon_streams/trace_store.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using vocabulary::InputError;

struct ClockOptions {
    std::string place, oracle, picture, progress = "auto";
    bool json = false, force = false;
};

// The oracle given on the command line, or the one in the folder.
std::string oracle_of(const ClockOptions& options, const fs::path& folder) {
    if (!options.oracle.empty()) return options.oracle;
    const fs::path beside = folder / "oracle.json";
    return fs::exists(beside) ? beside.string() : std::string();
}

// Errors of the final times of the sort, with and without spreading.
void add_sorted(tmon_oracle::ClockErrors& errors, const std::string& trace, const std::vector<tmon_oracle::TrueClock>& truth,
                ProgressLine& line) {
    for (const bool amortise : {false, true}) {
        tmon_oracle::FinalTimeErrors finals(truth, errors.reference);
        tmon_sorted::SortOptions options{.trace = trace};
        options.amortise = amortise;
        options.progress = line.records(amortise ? "spread" : "sort");
        tmon_sorted::sort_trace(options, finals);
        (amortise ? errors.of_amortised : errors.of_sorted) = tmon_oracle::quantiles_of(finals.points);
        (amortise ? errors.amortised : errors.sorted) = std::move(finals.points);
    }
}

std::optional<tmon_oracle::ClockErrors> errors_by(const std::vector<tmon_oracle::TrueClock>& truth,
                                                  const tmon_streams::Trace& trace,
                                                  const tmon_clocks::ClockAdjustment& adjustment,
                                                  const tmon_order::LogicalTime& order) {
    auto errors = tmon_oracle::clock_errors(trace, adjustment, truth);
    if (errors) errors->by_truth = tmon_oracle::check_true(trace, order, truth);
    return errors;
}

void put_report(const tmon_clocks::ClockReport& report, const std::optional<tmon_oracle::ClockErrors>& errors, bool as_json) {
    if (as_json) {
        nlohmann::ordered_json json = tmon_clocks::clock_json(report);
        if (errors) tmon_oracle::add_errors(json, report.adjustment, *errors);
        return put(json.dump(2));
    }
    std::string text = tmon_clocks::clock_text(report);
    if (errors) text += tmon_oracle::error_text(report.adjustment, *errors);
    text.pop_back();  // put() ends the line
    put(text);
}

int clocks(const ClockOptions& options) {
    const text::Replace replace = options.force ? text::Replace::Yes : text::Replace::No;
    if (!options.picture.empty()) {
        as_usage([&] { tmon_pictures::check_picture_kind(options.picture); });
        text::check_output_file(options.picture, replace);
    }
    const std::string path = tmon_streams::trace_file(options.place);
    constexpr std::size_t passes = 3;  // before those of the sorts
    ProgressLine line(options.progress);
    line.steps("clocks", 0, passes);
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(path);
    const tmon_streams::Manifest manifest = tmon_streams::read_manifest(path, stored.manifest);
    const tmon_clocks::ClockAdjustment adjustment(stored.trace, manifest.interrupt_master);
    line.steps("clocks", 1, passes);
    const tmon_order::LogicalTime order(stored.trace);
    line.steps("clocks", 2, passes);
    tmon_clocks::ClockReport report{adjustment, tmon_clocks::check_raw(stored.trace, order),
                                    tmon_clocks::check_adjusted(stored.trace, order, adjustment), stored.status, stored.end};
    std::optional<tmon_oracle::ClockErrors> errors;
    const std::string oracle = oracle_of(options, fs::path(path).parent_path());
    if (!oracle.empty()) {
        const auto truth = tmon_oracle::read_true_clocks(oracle, manifest.expected_nodes);
        errors = errors_by(truth, stored.trace, adjustment, order);
        if (errors) add_sorted(*errors, path, truth, line);
        // The oracle beside the trace has no clock of a node whose monitoring never began. That is not the user's fault.
        if (!errors && !options.oracle.empty())
            throw InputError(
                {oracle, 0, 0},
                fmt::format(
                    "says nothing of the clock of n{}, which the others are compared with; name the oracle.json of this run",
                    adjustment.reference().value_or(0)));
    }
    if (!options.picture.empty() && !errors)
        throw InputError({options.picture, 0, 0},
                         "cannot be drawn without true time, which is in the run's oracle.json; name that file with --oracle");
    line.clear();
    put_report(report, errors, options.json);
    std::fflush(stdout);  // reported whatever becomes of the picture
    if (!options.picture.empty()) tmon_pictures::draw_curves({tmon_oracle::error_picture(*errors)}, options.picture, replace);
    return adjustment.synchronised() && adjustment.all_tied() ? exit_code::nothing_found : exit_code::unknown;
}

}  // namespace

void add_clocks(CLI::App& app, int& result) {
    auto options = std::make_shared<ClockOptions>();
    CLI::App* command = app.add_subcommand(
        "clocks", "Report how well the nodes' clocks agree after synchronisation, and how far they are from true time");
    command->add_option("PLACE", options->place, "folder of a run, or its data.mwt; finished or not")
        ->required()
        ->check(file_name(trace_expected));
    command->add_option("--oracle", options->oracle, "true times: oracle.json of the run; default: the one beside the trace")
        ->check(file_name());
    command
        ->add_option("--picture", options->picture, "draw the errors over time, with and without synchronisation (.svg, .png)")
        ->check(file_name());
    command->add_flag("-f,--force", options->force, "replace the picture");
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Exit codes: 0 the clocks are tied together; 4 not all are: no interrupt ties them, or their readings contradict each "
        "other.\n\n"
        "Examples:\n"
        "  magicwire run farm.yaml --set monitor.kind=tmon --set clock.drift_most=100 --out out\n"
        "  magicwire clocks out --picture clocks.svg\n");
    command->callback([options, &result] { result = clocks(*options); });
}

}  // namespace cli
