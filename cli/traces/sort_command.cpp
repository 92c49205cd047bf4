// sort: the records of a stored trace in causal order, by time, or as they arrived.
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/output_file.hpp>
#include <tmon_export/export.hpp>
#include <tmon_foreign/foreign_trace.hpp>
#include <tmon_sorted/sort_trace.hpp>
#include <tmon_sorted/sorted_file.hpp>
#include <tmon_sorted/sorted_lines.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/patience_options.hpp"
#include "frame/progress_line.hpp"
#include "traces/sort_options.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using tmon_order::SortedItem;
using tmon_sorted::SortResult;
using vocabulary::InputError;

class Nothing : public tmon_order::SortedItems {
    void item(const SortedItem&) override {}
};

class Lines : public tmon_order::SortedItems {
public:
    Lines(bool json, std::function<void(std::string_view)> write) : json_(json), write_(std::move(write)) {}
    void item(const SortedItem& item) override { write_(json_ ? tmon_sorted::json_line(item) : tmon_sorted::text_line(item)); }

private:
    bool json_;
    std::function<void(std::string_view)> write_;
};

void check(const SortCommand& options) {
    if (!options.to.empty() && options.out.empty())
        throw CLI::ValidationError("--to", "it needs a file; name one with -o, or give -o - for standard output");
    if (options.to == "mwt" && options.out == "-")
        throw CLI::ValidationError("-o -", "mwt is no text and does not go to standard output; name a file");
    if (options.latency != "0" && options.by != "cause")
        throw CLI::ValidationError("--latency", "it is for final times, which --by " + options.by + " does not have");
    if (options.amortise && options.to == "mwt")
        throw CLI::ValidationError("--amortise", "a trace file keeps raw times, so nothing would show it; give --to jsonl");
    if (options.amortise && options.by != "cause")
        throw CLI::ValidationError("--amortise", "it makes final times, which --by " + options.by + " does not have");
    if (options.stamps && (options.by != "cause" || options.to != "jsonl"))
        throw CLI::ValidationError("--stamps", "vector times are in the lines of --by cause --to jsonl; give it with those");
    if (options.out == "-" && (options.json || options.stats))
        throw CLI::ValidationError(options.json ? "--json" : "--stats",
                                   "'-o -' gives standard output to the records; name a file with -o, or leave it out");
}

void check_export(const SortCommand& options) {
    if (options.by == "cause" && !options.no_adjust && !options.amortise && options.latency == "0") return;
    throw CLI::ValidationError(
        "--to",
        options.to + " has causal order and the final times of the default; use 'export' for the order of time, or --to jsonl");
}

// Traces of other programs have neither nodes that break nor the passes that these options need.
void check_foreign(const SortCommand& options) {
    const char* const own = options.amortise           ? "--amortise"
                            : options.stamps           ? "--stamps"
                            : options.patience.given() ? "--suspect-after, --give-up-after and --crashed"
                                                       : nullptr;
    if (own != nullptr) throw CLI::ValidationError(own, "for traces of Magicwire alone; leave it out for PICL and OTF2");
}

// The trace cannot be made again, so it must not be replaced.
void check_out(const SortCommand& options, const std::string& trace) {
    if (options.out.empty() || options.out == "-") return;
    std::error_code ignored;
    if (fs::equivalent(options.out, trace, ignored))
        throw InputError({options.out, 0, 0}, "is the trace itself; name another file with -o");
    text::check_output_file(options.out, options.force ? text::Replace::Yes : text::Replace::No);
}

// The output of `export`, in causal order.
SortResult export_sorted(const SortCommand& options, const tmon_sorted::SortOptions& wanted) {
    check_export(options);
    tmon_export::ExportOptions to{.trace = wanted.trace, .out = options.out};
    to.format = tmon_export::format_of(options.to);
    to.force = options.force;
    to.causal = true;
    to.progress = wanted.progress;
    const bool interrupted = tmon_export::export_trace(to).interrupted;
    Nothing nothing;
    SortResult done = tmon_sorted::sort_trace(wanted, nothing);
    done.interrupted = done.interrupted || interrupted;
    return done;
}

SortResult sort_into(const SortCommand& options, const tmon_sorted::SortOptions& wanted) {
    if (options.exported()) return export_sorted(options, wanted);
    if (options.to == "mwt") {
        tmon_sorted::SortedFile file(wanted.trace, options.out, options.force);
        SortResult done = tmon_sorted::sort_trace(wanted, file);
        if (!done.interrupted) file.close();
        return done;
    }
    const bool json = options.to == "jsonl";
    if (options.out.empty() && !options.lines_to_stream()) {
        Nothing nothing;
        return tmon_sorted::sort_trace(wanted, nothing);
    }
    return into_output(options, [&](const std::function<void(std::string_view)>& write) {
        Lines lines(json, write);
        return tmon_sorted::sort_trace(wanted, lines);
    });
}

// The trace's file, and the trace itself if it came on standard input.
struct TraceToSort {
    std::string file;
    std::unique_ptr<StandardTrace> standard;
};
// The anchor file in the folder of an OTF2 archive; empty when there is none, or more than one.
std::string anchor_in(const std::string& folder) {
    std::string found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const fs::path& path = entry.path();
        if (path.filename() == "data.mwt" || path.filename() == "data.mwt.incomplete") return "";
        if (path.extension() != ".otf2") continue;
        if (!found.empty()) return "";
        found = path.string();
    }
    return found;
}

TraceToSort place_of(const std::string& trace) {
    if (trace == "-") {
        auto standard = std::make_unique<StandardTrace>();
        return {standard->path(), std::move(standard)};
    }
    if (const std::string anchor = anchor_in(trace); !anchor.empty()) return {anchor, nullptr};
    const bool foreign = fs::is_regular_file(trace) && tmon_foreign::is_foreign(trace);
    return {foreign ? trace : tmon_streams::trace_file(trace), nullptr};
}

SortResult sort_place(const SortCommand& options, const TraceToSort& place, tmon_sorted::SortOptions& wanted) {
    try {
        check_out(options, place.file);
        const bool foreign = tmon_foreign::is_foreign(place.file);
        if (foreign) check_foreign(options);
        SortResult done = foreign ? sort_foreign_trace(options, place.file, wanted) : sort_into(options, wanted);
        if (place.standard != nullptr) done.trace = "-";
        return done;
    } catch (const InputError& error) {
        if (place.standard == nullptr || error.where().file != place.file) throw;
        throw InputError({"-", error.where().line, error.where().column}, error.message());
    }
}

int exit_code_of(const SortCommand& options, const SortResult& done) {
    if (done.interrupted) return exit_code::interrupted;
    if (done.contradicting == 0) return exit_code::nothing_found;
    return options.strict ? exit_code::bad_input : exit_code::unknown;
}

int sort(const SortCommand& options) {
    check(options);
    tmon_sorted::SortOptions wanted;
    wanted.by = options.by == "cause"  ? tmon_sorted::SortBy::Cause
                : options.by == "time" ? tmon_sorted::SortBy::Time
                                       : tmon_sorted::SortBy::Arrival;
    wanted.adjust = !options.no_adjust;
    wanted.amortise = options.amortise;
    wanted.stamps = options.stamps;
    constexpr std::uint64_t most_latency = 1'000'000'000'000;  // so that no time can overflow
    const std::uint64_t latency = whole_number("--latency", options.latency);
    if (latency > most_latency)
        throw CLI::ValidationError("--latency", "'" + options.latency + "' is more than 1000 s; give nanoseconds");
    wanted.least_latency_ns = static_cast<std::int64_t>(latency);
    wanted.patience = options.patience.read(0);
    stop_at_interrupt();
    const TraceToSort place = place_of(options.trace);
    wanted.trace = place.file;
    SortResult done;
    {
        ProgressLine line(options.progress);
        wanted.progress = line.records("sort");
        done = sort_place(options, place, wanted);
    }
    if (options.json) put(tmon_sorted::sort_json(done).dump(2));
    const std::string told = tmon_sorted::sort_text(done);
    if (options.lines_to_stream()) {
        std::fflush(stdout);
        std::fputs(told.c_str(), stderr);
    } else if (!options.json) {
        put(told);
    }
    if (done.interrupted) tell_error(exit_code::interrupted, "interrupted; the output ends early");
    return exit_code_of(options, done);
}

}  // namespace

SortResult into_output(const SortCommand& options,
                       const std::function<SortResult(const std::function<void(std::string_view)>&)>& make) {
    if (options.lines_to_stream()) return make([](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    SortResult done;
    text::write_text_file(
        options.out, [&](const text::PieceWriter& write) { done = make(write); },
        options.force ? text::Replace::Yes : text::Replace::No);
    return done;
}

void add_sort(CLI::App& app, int& result) {
    auto options = std::make_shared<SortCommand>();
    CLI::App* command =
        app.add_subcommand("sort", "Put the records of a stored trace in causal order: each after all that it follows from");
    command
        ->add_option(
            "TRACE", options->trace,
            "folder of a run, or its data.mwt, finished or not; PICL; OTF2 archive or its anchor file; - for standard input")
        ->required();
    command->add_option("--by", options->by, "cause: no receive before its send; time: by clock; arrival: as the host got them")
        ->check(CLI::IsMember({"cause", "time", "arrival"}))
        ->capture_default_str();
    command->add_flag("--no-adjust", options->no_adjust, "raw times from the nodes' own clocks, without the global interrupts");
    command->add_option("--latency", options->latency, "a receive is at least so many ns after its send, by final times")
        ->type_name("NS")
        ->capture_default_str();
    command->add_flag("--amortise", options->amortise,
                      "spread each correction over the records before and after it (controlled logical clock)");
    command->add_flag("--stamps", options->stamps, "with --to jsonl: the vector time of each record");
    command
        ->add_option(
            "--to", options->to,
            "jsonl: a JSON object a line; mwt: a trace file in this order; csv, picl, picl-old: as export, with final times")
        ->check(CLI::IsMember({"jsonl", "mwt", "csv", "picl", "picl-old"}));
    command->add_option("-o,--out", options->out, "file to write; - for standard output; without --to: lines for people")
        ->type_name("FILE");
    command->add_flag("--stats", options->stats, "print the figures of the sort alone");
    options->patience.add_to(*command);
    command->add_flag("--strict", options->strict, "end with code 3 when the records contradict each other");
    command->add_flag("-f,--force", options->force, "replace the file");
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print the figures as JSON");
    command->footer(
        "Exit codes: 0 sorted; 4 the records contradict each other, and their ids are printed.\n\n"
        "Examples:\n  magicwire sort out | head                        # n0:17 is record 17 of node 0\n"
        "  magicwire sort out --stats                       # window, losses, messages that ran backwards\n"
        "  magicwire sort out --amortise --stats            # spread corrections of the clocks\n"
        "  magicwire sort out --to jsonl -o - | jq .id\n"
        "  magicwire sort out --by arrival --stats --json\n"
        "  magicwire sort traces.otf2 --stats               # of an MPI run: Score-P, eztrace\n"
        "  ssh host cat run/data.mwt | magicwire sort - --to jsonl -o - | jq .id\n");
    command->callback([options, &result] { result = sort(*options); });
}

}  // namespace cli
