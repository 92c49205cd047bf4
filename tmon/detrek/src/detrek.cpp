#include <tmon_detrek/detrek.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include <nlohmann/json.hpp>

#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>
#include "counter_history.hpp"
#include "detrek_json.hpp"
#include "rests_on.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

constexpr const char* usage =
    "detrek [-h] [-v] [-c] [-o] [-p PREFIX]   find where a task farm stopped, from its event trace\n"
    "  -p PREFIX  read PREFIX.spf and PREFIX.tvm, and PREFIX.config if it exists (it has the losses);\n"
    "             without PREFIX.tvm the binary PREFIX.mwt, or PREFIX.mwt.incomplete of a run that did not finish\n"
    "  --model FILE  fault model of a program that is no farm (docs/formats/fault_model.md)\n"
    "  -c         print sub-task ids as they were recorded; they always are\n"
    "  -o         write the list to PREFIX.bug instead of printing it\n"
    "  -v         print statistics below the list\n"
    "  -h         this text\n"
    "Exit code: 0 no fault, 1 a fault was found, 3 a file cannot be read, 4 unknown because records are missing.\n";

int exit_code_of(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::None:
            return 0;
        case VerdictKind::Certain:
        case VerdictKind::Likely:
            return 1;
        case VerdictKind::Unknown:
            break;
    }
    return 4;
}

std::string statistics_text(const tmon_streams::Trace& trace, const Analysis& analysis) {
    const auto unmatched = analysis.graphs.unmatched();
    fmt::memory_buffer out;
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "\nevents {}, event graphs {}, unmatched sends {}, unmatched receives {}, contradictions {}\n",
                   analysis.graphs.events(), analysis.graphs.tasks_with_events(), unmatched.sends, unmatched.receives,
                   analysis.graphs.findings() + trace.suspect_records);
    constexpr std::size_t most_shown = 20;
    const auto& findings = analysis.graphs.first_findings();
    for (std::size_t i = 0; i < std::min(findings.size(), most_shown); ++i)
        fmt::format_to(to, "contradiction {}\n", finding_text(findings[i]));
    fmt::format_to(to, "session {}\n", tmon_streams::session_end_name(trace.session));
    for (const tmon_streams::Stream& stream : trace.streams) {
        const std::uint64_t last = stream.parts.empty() ? 0 : stream.parts.back().back().time_us;
        fmt::format_to(to, "node {}: {}, {} events, last at {} us\n", stream.node,
                       tmon_streams::stream_state_name(stream.state), stream.size(), last);
        for (const LossRange& range : stream.losses) {
            fmt::format_to(to, "lost {}", tmon_streams::loss_text(range));
            if (range.classes != trace_record::ClassSet::all()) fmt::format_to(to, ", {}", classes_text(range.classes));
            if (range.until_us > 0) fmt::format_to(to, ", made at {} to {} us", range.from_us, range.until_us);
            fmt::format_to(to, "\n");
        }
    }
    return fmt::to_string(out);
}

std::vector<tmon_streams::BugLine> bug_lines(const std::vector<FaultRow>& rows) {
    std::vector<tmon_streams::BugLine> lines;
    for (const FaultRow& row : rows)
        lines.push_back({std::string(stop_kind_name(row.kind)), row.task, row.node, std::string(row_process(row))});
    return lines;
}

}  // namespace

static Analysis analyse_by_file(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const std::string& path) {
    const std::vector<std::string> names = tmon_models::built_in_names();
    if (std::find(names.begin(), names.end(), path) != names.end() && ::access(path.c_str(), F_OK) != 0)
        throw vocabulary::InputError({path, 0, 0},
                                     "is no file; a built-in model is named in the .spf, as 'model " + path + "'");
    const tmon_models::FaultModel model = tmon_models::read_fault_model(path);
    if (!model.is_fixed())
        throw vocabulary::InputError({path, 0, 0}, "model '" + model.name +
                                                       "' leaves a choice, and such models are analysed only as built in: pfvm "
                                                       "and dcvm; leave out 'either', 'one child' and parts");
    return analyse(trace, spec, model);
}

DetrekResult report_detrek(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const DetrekOptions& options,
                           const FoldedTasks& folded) {
    const Analysis analysis =
        options.model.empty() ? analyse(trace, spec, folded) : analyse_by_file(trace, spec, options.model);
    DetrekResult result;
    result.exit_code = exit_code_of(analysis.verdict.kind);
    const tmon_streams::Trace tasks = tmon_streams::task_view(trace);
    const std::vector<Event> rests = rests_on(tasks, analysis);
    result.json = detrek_json(trace, tasks, analysis, rests, result.exit_code);
    result.text = analysis.verdict.sentence + "\n" + notes_text(analysis.verdict, rests, spec);
    const std::vector<FaultRow> rows = analysis.printed_rows();
    if (options.write_bug) {
        const std::string file = options.prefix + ".bug";
        tmon_streams::write_bug(file, bug_lines(rows), options.force ? text::Replace::Yes : text::Replace::No);
        result.text += fmt::format("\n{} {} in {}\n", rows.size(), rows.size() == 1 ? "row" : "rows", file);
    } else if (!rows.empty()) {
        result.text += "\n" + classic_list(rows, spec);
    }
    if (options.verbose) result.text += statistics_text(trace, analysis);
    if (options.json) result.text = result.json;
    result.verdict = analysis.verdict;
    return result;
}

// The binary trace, where there is no text of it: after a run that did not finish, or one that was too large for it.
static std::optional<tmon_streams::StoredTrace> stored_trace(const std::string& prefix) {
    const auto is_there = [&](const char* ending) { return ::access((prefix + ending).c_str(), F_OK) == 0; };
    if (is_there(".mwt")) return is_there(".tvm") ? std::nullopt : std::optional(tmon_streams::load_trace(prefix + ".mwt"));
    // The binary trace gets its name last: other files may be complete by then, but need not be.
    if (is_there(".mwt.incomplete")) return tmon_streams::load_trace(prefix + ".mwt.incomplete");
    return {};
}

static DetrekInput stored_input(tmon_streams::StoredTrace stored, const farm_spec::FarmSpec& spec, const std::string& prefix) {
    if (stored.trace.streams.size() != spec.nodes) {
        throw vocabulary::InputError(
            {prefix + ".spf", 0, 0},
            fmt::format("describes {} nodes, and the trace beside it has {}; the files of one session belong together",
                        spec.nodes, stored.trace.streams.size()));
    }
    DetrekInput input{std::move(stored.trace), spec, "", stored.status, stored.end == trace_record::TraceEnd::Damaged};
    if (stored.end != trace_record::TraceEnd::Complete)
        input.warning = "The trace is " + stored.status + ": " + tmon_streams::why_not_whole(stored.end) + ".";
    return input;
}

// pfvm and dcvm are the models of a farm, which needs no such line.
farm_spec::FarmSpec read_specification(const std::string& path) {
    farm_spec::FarmSpec spec = tmon_streams::read_spf(path);
    if (spec.is_farm()) return spec;
    const std::vector<std::string> names = tmon_models::built_in_names();
    const auto fail = [&](const std::string& what) { throw vocabulary::InputError({path, 0, 0}, what); };
    if (std::find(names.begin(), names.end(), spec.model) == names.end())
        fail(fmt::format("'model {}' is not built in; use one of {}, or leave it out and give detrek --model FILE", spec.model,
                         fmt::join(names, ", ")));
    if (spec.model == "pfvm" || spec.model == "dcvm") {
        if (spec.divides() != (spec.model == "dcvm"))
            fail(fmt::format("'model {}' does not fit TaskDegree {}; pfvm has degree 1, dcvm a higher one", spec.model,
                             spec.degree));
        spec.model.clear();
        return spec;
    }
    if (spec.divides() || spec.granularity > 1 || spec.survives || spec.policy != farm_spec::Policy::FloodFilling)
        fail(fmt::format("'model {}' is no farm: TaskDegree is 1, and granularity, policy and survives are left out",
                         spec.model));
    return spec;
}

DetrekInput read_detrek_input(const std::string& prefix) {
    const farm_spec::FarmSpec spec = read_specification(prefix + ".spf");
    if (auto stored = stored_trace(prefix)) return stored_input(std::move(*stored), spec, prefix);
    std::optional<tmon_streams::ConfigFile> config;
    const std::string config_path = prefix + ".config";
    if (::access(config_path.c_str(), F_OK) == 0) config = tmon_streams::read_config(config_path);
    return {tmon_streams::read_tvm(prefix + ".tvm", spec, config), spec, "", "", false};
}

DetrekResult run_detrek(const DetrekOptions& options) {
    if (options.help) {
        DetrekResult result;
        result.text = usage;
        return result;
    }
    const DetrekInput input = read_detrek_input(options.prefix);
    DetrekResult result = report_detrek(input.trace, input.spec, options);
    if (input.warning.empty()) return result;
    auto json = nlohmann::ordered_json::parse(result.json);
    json["trace"] = {{"complete", false}, {"damaged", input.damaged}, {"status", input.status}};
    result.json = json.dump(2);
    result.text = options.json ? result.json : input.warning + "\n\n" + result.text;
    return result;
}

}  // namespace tmon_detrek
