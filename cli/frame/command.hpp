// Shared by all subcommands: exit codes (docs/formats/command_line.md), output options, and how a subcommand enters the parser.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {

namespace exit_code {
inline constexpr int nothing_found = 0, found = 1, usage = 2, bad_input = 3, unknown = 4, self_check = 5, budget = 6,
                     defect = 70, host = 71, interrupted = 130;
int of(vocabulary::ErrorKind kind);
}  // namespace exit_code

inline constexpr const char* version_text = "magicwire " MAGICWIRE_VERSION " (run/1, detrek/1, describe/1, trace 2)";

// The command line without the program's path, for manifests.
struct Invocation {
    std::vector<std::string> arguments;

    // True when JSON is asked for, even when the rest of the command line cannot be parsed.
    bool json() const { return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end(); }
};

// Text to standard output, with a line feed at its end.
void put(const std::string& text);
// Reports an error on standard error: "magicwire: MESSAGE". Once errors are reported as JSON, it is a line of the schema
// magicwire.error/1 (docs/formats/json_outputs.md).
void tell_errors_as_json();
void tell_error(int exit_code, const std::string& message);
int tell_error(const std::exception& error);  // returns the exit code of its kind
// Columns of output printed for people.
inline constexpr std::size_t text_width = 128;
// Folded into lines of at most text_width columns, each indented by four columns.
std::string folded(std::string_view text);
// Value of an option from 0 to 2^63 - 1. Read as text: CLI11's own numbers wrap, so that -1 and 2^64 would be seeds.
std::uint64_t whole_number(const char* option, const std::string& text);
// The same for a value that is finite and greater than 0.
double positive_number(const char* option, const std::string& text);

// Runs `work`, which throws vocabulary::InputError for the value of an option. That is wrong usage, reported with exit code 2.
template <class Work>
decltype(auto) as_usage(const Work& work) {
    try {
        return work();
    } catch (const vocabulary::InputError& error) {
        throw CLI::ValidationError(error.what());
    }
}

// Checks names of files and folders. There must be a name, and not "-": it stands for no standard stream here. `instead`: a
// clause that says what to do then.
CLI::Validator file_name(const std::string& instead = "give it a name");
inline constexpr const char* trace_expected = "a trace is read twice; give the folder of a run, or its data.mwt";

// Help in lines of at most text_width columns.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_option_desc(const CLI::Option* option) const override;

private:
    std::string described(const std::string& text) const;
};

// Each adds its subcommand; the callback stores its exit code in `result`.
void add_describe(CLI::App& app, int& result);
void add_costs(CLI::App& app, int& result);
void add_settings(CLI::App& app, int& result);
void add_bugs(CLI::App& app, int& result);
void add_topology(CLI::App& app, int& result);
void add_faults(CLI::App& app, int& result);
void add_detrek(CLI::App& app, int& result);
void add_tvmfilter(CLI::App& app, int& result);
void add_clocks(CLI::App& app, int& result);
void add_trace(CLI::App& app, int& result);
void add_export(CLI::App& app, int& result);
#ifdef MAGICWIRE_SIMULATION
void add_run(CLI::App& app, const Invocation& invocation, int& result);
void add_farm(CLI::App& app, const Invocation& invocation, int& result);
void add_top(CLI::App& app, const Invocation& invocation, int& result);
void add_overhead(CLI::App& app, int& result);
void add_schedule(CLI::App& app, int& result);
void add_predict(CLI::App& app, int& result);
void add_shell(CLI::App& app, int& result);
void add_validate(CLI::App& app, int& result);
#endif

}  // namespace cli
