// tvmfilter and detrek: commands that work on a stored trace.
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

#include <tmon_detrek/detrek.hpp>
#include <tmon_streams/thesis_files.hpp>

#include "frame/command.hpp"

namespace cli {

void add_detrek(CLI::App& app, int& result) {
    struct Options {
        tmon_detrek::DetrekOptions detrek{.prefix = "data"};
        bool exit_zero = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("detrek", "Find the fault in a farm's message history (PREFIX.spf, PREFIX.tvm, PREFIX.config)");
    command->alias("deTrEK");
    command->add_option("-p", options->detrek.prefix, "prefix of the files")->capture_default_str();
    command->add_flag("-v", options->detrek.verbose, "print statistics below the list");
    command->add_flag("-c", options->detrek.raw_ids, "print sub-task ids as plain numbers");
    command->add_flag("-o", options->detrek.write_bug, "write the list to PREFIX.bug as well");
    command->add_flag("-f,--force", options->detrek.force, "replace PREFIX.bug");
    command->add_flag("--json", options->detrek.json, "print JSON");
    command->add_flag("--exit-zero", options->exit_zero, "exit with 0 also when a fault was found or the answer is unknown");
    command->footer("Example:\n  magicwire detrek -cp out/data\n");
    command->callback([options, &result] {
        const tmon_detrek::DetrekResult found = tmon_detrek::run_detrek(options->detrek);
        std::fwrite(found.text.data(), 1, found.text.size(), stdout);
        if (found.text.empty() || found.text.back() != '\n') std::fputc('\n', stdout);
        result = options->exit_zero ? exit_code::nothing_found : found.exit_code;
    });
}

void add_tvmfilter(CLI::App& app, int& result) {
    struct Options {
        std::string prefix = "data";
        bool force = false, json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("tvmfilter", "Filter PREFIX.all (with PREFIX.config) into PREFIX.tvm");
    command->add_option("-p", options->prefix, "prefix of the files")->capture_default_str();
    command->add_flag("-f,--force", options->force, "replace PREFIX.tvm");
    command->add_flag("--json", options->json, "print JSON");
    command->footer("Example:\n  magicwire tvmfilter -p out/data\n");
    command->callback([options, &result] {
        const auto events = tmon_streams::tvmfilter(options->prefix, options->force ? text::Replace::Yes : text::Replace::No);
        const std::string file = options->prefix + ".tvm";
        if (options->json) {
            std::puts(nlohmann::ordered_json{{"schema", "magicwire.tvmfilter/1"}, {"file", file}, {"events", events}}
                          .dump(2)
                          .c_str());
        } else {
            std::printf("%llu events in %s\n", static_cast<unsigned long long>(events), file.c_str());
        }
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
