// tvmfilter and detrek: commands that work on a stored trace.
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

#include <tmon_detrek/detrek.hpp>
#include <tmon_detrek/stamp_list.hpp>
#include <tmon_streams/thesis_files.hpp>

#include "frame/command.hpp"
#include "traces/isolate_line.hpp"

namespace cli {

static void print_stamps(const tmon_detrek::DetrekOptions& options) {
    using tmon_detrek::StampForm;
    const tmon_detrek::DetrekInput input = tmon_detrek::read_detrek_input(options.prefix);
    if (!input.warning.empty()) std::fprintf(stderr, "magicwire: %s\n", input.warning.c_str());
    tmon_detrek::list_stamps(input, options.json ? StampForm::JsonLines : StampForm::Text,
                             [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
}

void add_detrek(CLI::App& app, int& result) {
    struct Options {
        tmon_detrek::DetrekOptions detrek{.prefix = "data"};
        bool exit_zero = false, stamps = false, as_recorded = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("detrek", "Find the fault in a program's message history (PREFIX.spf, PREFIX.tvm, PREFIX.config)");
    command->alias("deTrEK");
    command->add_option("-p", options->detrek.prefix, "prefix of the files")->capture_default_str();
    command->add_flag("-v", options->detrek.verbose, "print statistics below the list");
    command->add_flag("-c", options->as_recorded, "print sub-task ids as they were recorded; they always are");
    CLI::Option* bug =
        command->add_flag("-o", options->detrek.write_bug, "write the list to PREFIX.bug instead of printing it");
    command->add_flag("-f,--force", options->detrek.force, "replace PREFIX.bug");
    command
        ->add_option("--model", options->detrek.model, "fault model of the program; by default the one that PREFIX.spf names")
        ->type_name("FILE");
    command->add_flag("--json", options->detrek.json, "print JSON");
    command->add_flag("--exit-zero", options->exit_zero, "exit with 0 also when a fault was found or the answer is unknown");
    command
        ->add_flag("--stamps", options->stamps,
                   "print the events with ids and vector time stamps, and no verdict; --json: a line each")
        ->excludes(bug);
    command->footer("Examples:\n  magicwire detrek -cp out/data\n  magicwire detrek -p out/data --stamps | grep ' task 49 '\n");
    command->callback([options, &result] {
        if (options->stamps) {
            print_stamps(options->detrek);
            result = exit_code::nothing_found;
            return;
        }
        const tmon_detrek::DetrekResult found = tmon_detrek::run_detrek(options->detrek);
        std::fwrite(found.text.data(), 1, found.text.size(), stdout);
        if (found.text.empty() || found.text.back() != '\n') std::fputc('\n', stdout);
#ifdef MAGICWIRE_SIMULATION
        if (!options->detrek.json) std::fputs(isolate_lines(found.verdict, options->detrek.prefix).c_str(), stdout);
#endif
        result = options->exit_zero ? exit_code::nothing_found : found.exit_code;
    });
}

void add_tvmfilter(CLI::App& app, int& result) {
    struct Options {
        std::string prefix = "data";
        bool force = false, json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("tvmfilter", "Filter PREFIX.all (with PREFIX.config) into PREFIX.tvm, .usage, .standard and .user");
    command->add_option("-p", options->prefix, "prefix of the files")->capture_default_str();
    command->add_flag("-f,--force", options->force, "replace the files");
    command->add_flag("--json", options->json, "print JSON");
    command->footer("Example:\n  magicwire tvmfilter -p out/data\n");
    command->callback([options, &result] {
        const auto events = tmon_streams::tvmfilter(options->prefix, options->force ? text::Replace::Yes : text::Replace::No);
        if (options->json) {
            put(nlohmann::ordered_json{{"schema", "magicwire.tvmfilter/1"},
                                       {"file", options->prefix + ".tvm"},
                                       {"events", events.task},
                                       {"usage", events.usage},
                                       {"standard", events.standard},
                                       {"user", events.user}}
                    .dump(2));
        } else {
            put(tmon_streams::filtered_text(events, options->prefix));
        }
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
