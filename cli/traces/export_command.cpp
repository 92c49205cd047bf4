// export and trace: a stored trace for other programs, and what is in one.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_export/export.hpp>
#include <tmon_oracle/true_clocks.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"

namespace cli {
namespace {

struct ExportCommand {
    std::string trace, to, out, progress = "auto";
    bool oracle = false, force = false, json = false;
};

std::string oracle_beside(const std::string& trace) {
    return (std::filesystem::path(trace).parent_path() / "oracle.json").string();
}

// The trace of a run lies among files that no export may replace: nothing could make them again but the whole run.
std::vector<std::pair<std::string, std::string>> files_of_run(const std::string& trace) {
    const std::filesystem::path path(trace);
    std::vector<std::pair<std::string, std::string>> files{{oracle_beside(trace), "the oracle"}};
    if (path.filename() != "data.mwt" && path.filename() != "data.mwt.incomplete") return files;
    for (const char* name : {"summary.json", "console.txt", "data.spf", "data.all", "data.config", "data.tvm"})
        files.emplace_back((path.parent_path() / name).string(), fmt::format("the run's {}", name));
    return files;
}

std::string told(const tmon_export::ExportResult& done, const ExportCommand& options) {
    std::string text = fmt::format("{} records, {} messages with both ends, {} sends and receives alone", done.records,
                                   done.messages, done.unmatched);
    text += fmt::format("\n  lost         {} records in {} ranges; {} streams end open", done.lost_records, done.losses,
                        done.open_streams);
    if (done.left_out > 0) text += fmt::format("\n  left out     {} records without a place in their stream", done.left_out);
    return text +
           fmt::format("\n  trace        {}\n  time         {}\n  file         {}\n", done.status, done.clock, options.out);
}

nlohmann::ordered_json json_of(const tmon_export::ExportResult& done, const ExportCommand& options, const std::string& trace) {
    return {{"schema", "magicwire.export/1"},
            {"trace", trace},
            {"format", options.to},
            {"file", done.interrupted ? nullptr : nlohmann::ordered_json(options.out)},
            {"status", done.status},
            {"clock", done.clock},
            {"records", done.records},
            {"losses", done.losses},
            {"lost_records", done.lost_records},
            {"open_streams", done.open_streams},
            {"messages", done.messages},
            {"unmatched", done.unmatched},
            {"left_out", done.left_out},
            {"interrupted", done.interrupted}};
}

int run_export(const ExportCommand& options) {
    if (options.out.empty()) throw CLI::ValidationError("-o", "the name is empty; give it a name");
    const bool to_stream = options.out == "-";
    if (to_stream && options.json)
        throw CLI::ValidationError("--json",
                                   "'-o -' gives standard output to the export; name a file with -o, or leave it out");
    tmon_export::ExportOptions wanted{.out = options.out};
    wanted.format = as_usage([&] { return tmon_export::format_of(options.to); });
    if (to_stream && !tmon_export::is_text(wanted.format))
        throw CLI::ValidationError("-o -", options.to + " is no text and does not go to standard output; name a file");
    wanted.trace = tmon_streams::trace_file(options.trace);
    wanted.force = options.force;
    wanted.inputs = files_of_run(wanted.trace);
    if (options.oracle) {
        const std::string oracle = oracle_beside(wanted.trace);
        wanted.clock = [oracle](std::uint16_t nodes) {
            return tmon_export::NamedClock{tmon_oracle::read_true_time(oracle, nodes),
                                           "true time of the modelled machine, from oracle.json"};
        };
    }
    stop_at_interrupt();
    tmon_export::ExportResult done;
    {
        ProgressLine line(options.progress);
        wanted.progress = line.records("export");
        done = tmon_export::export_trace(wanted);
    }
    if (options.json) put(json_of(done, options, wanted.trace).dump(2));
    if (done.interrupted) {
        tell_error(exit_code::interrupted, fmt::format("interrupted after {} records; {}", done.records,
                                                       to_stream ? "standard output has those"
                                                                 : options.out + " was not made, and nothing is left of it"));
        return exit_code::interrupted;
    }
    if (to_stream) {
        std::fprintf(stderr, "%s", told(done, options).c_str());
    } else if (!options.json) {
        put(told(done, options));
    }
    return exit_code::nothing_found;
}

}  // namespace

void add_export(CLI::App& app, int& result) {
    auto options = std::make_shared<ExportCommand>();
    CLI::App* command =
        app.add_subcommand("export", "Write a stored trace for other programs: Perfetto, SQLite, CSV, PICL, VCD, CTF");
    command->add_option("TRACE", options->trace, "folder of a run, or its data.mwt; finished or not")
        ->required()
        ->check(file_name(trace_expected));
    command->add_option("--to", options->to, "perfetto, sqlite, csv, picl, picl-old, vcd or ctf")
        ->required()
        ->type_name("FORMAT");
    command
        ->add_option("-o,--out", options->out, "file to write, for ctf a new folder; - for standard output, text formats only")
        ->required()
        ->type_name("FILE");
    command->add_flag("--oracle", options->oracle, "true time as main clock, from the oracle.json beside the trace");
    command->add_flag("-f,--force", options->force, "replace the file");
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print what was written as JSON");
    command->footer(
        "Examples:\n  magicwire export out --to perfetto -o out.pftrace     # open it at ui.perfetto.dev\n"
        "  magicwire export out --to sqlite -o out.db && sqlite3 out.db 'SELECT node, count(*) FROM events GROUP BY node'\n"
        "  magicwire export out.incomplete --to csv -o - | head  # of a run that was killed\n");
    command->callback([options, &result] { result = run_export(*options); });
}

void add_trace(CLI::App& app, int& result) {
    struct Options {
        std::string trace;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("trace", "Summarise a stored trace: its content, its losses, and whether it is whole");
    command->add_option("TRACE", options->trace, "folder of a run, or its data.mwt; finished or not")
        ->required()
        ->check(file_name(trace_expected));
    command->add_flag("--json", options->json, "print JSON");
    command->footer("Examples:\n  magicwire trace out\n  magicwire trace out.incomplete/data.mwt.incomplete --json\n");
    command->callback([options, &result] {
        const auto summary = tmon_streams::summarise(tmon_streams::trace_file(options->trace));
        put(options->json ? tmon_streams::summary_json(summary) : tmon_streams::summary_text(summary));
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
