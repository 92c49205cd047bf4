// Shared by all subcommands: exit codes (docs/formats/command_line.md), output options, and registration in the parser.
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

inline constexpr const char* version_text = "magicwire " MAGICWIRE_VERSION " (run/1, detrek/1, describe/1, trace 3)";

// The command line without the program's path, for manifests.
struct Invocation {
    std::vector<std::string> arguments;

    // True when JSON is requested, even if the rest of the command line cannot be parsed.
    bool json() const { return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end(); }
};

// Prints text on standard output, with a line feed at its end.
void put(const std::string& text);
// Standard output belongs to something else from now on: put() prints on standard error.
void results_to_standard_error();
// tell_error() prints "magicwire: MESSAGE" on standard error. After tell_errors_as_json() it prints a line of the schema
// magicwire.error/1 (docs/formats/json_outputs.md).
void tell_errors_as_json();
void tell_error(int exit_code, const std::string& message);
int tell_error(const std::exception& error);  // returns the exit code of its kind
// Columns of output printed for people.
inline constexpr std::size_t text_width = 128;
// Folds text into lines of at most text_width columns, each indented by four columns.
std::string folded(std::string_view text);
// Value of an option from 0 to 2^63 - 1. It is read as text because CLI11's own numbers wrap: -1 and 2^64 would be accepted.
std::uint64_t whole_number(const char* option, const std::string& text);
// The same for a finite number greater than 0.
double positive_number(const char* option, const std::string& text);

// Runs `work`. A vocabulary::InputError from it means a wrong value of an option: wrong usage, exit code 2.
template <class Work>
decltype(auto) as_usage(const Work& work) {
    try {
        return work();
    } catch (const vocabulary::InputError& error) {
        throw CLI::ValidationError(error.what());
    }
}

// Checks names of files and folders. The name must not be empty or "-", since no standard stream is possible here. `instead`:
// the remedy in the error, a clause.
CLI::Validator file_name(const std::string& instead = "give it a name");
inline constexpr const char* trace_expected = "a trace is read twice; give the folder of a run, or its data.mwt";

// Prints help in lines of at most text_width columns.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_option_desc(const CLI::Option* option) const override;

private:
    std::string described(const std::string& text) const;
};

// Each adds a subcommand, whose callback stores the exit code in `result`.
void add_describe(CLI::App& app, int& result);
void add_costs(CLI::App& app, int& result);
void add_settings(CLI::App& app, int& result);
void add_bugs(CLI::App& app, int& result);
void add_topology(CLI::App& app, int& result);
void add_faults(CLI::App& app, int& result);
void add_detrek(CLI::App& app, int& result);
void add_models(CLI::App& app, int& result);
void add_tvmfilter(CLI::App& app, int& result);
void add_clocks(CLI::App& app, int& result);
void add_story(CLI::App& app, int& result);
void add_why(CLI::App& app, int& result);
void add_graph(CLI::App& app, int& result);
void add_trace(CLI::App& app, int& result);
void add_export(CLI::App& app, int& result);
void add_sort(CLI::App& app, int& result);
void add_asm(CLI::App& app, int& result);
void add_disasm(CLI::App& app, int& result);
void add_record(CLI::App& app, const Invocation& invocation, int& result);  // and replay
void add_evaluate(CLI::App& app, int& result);
void add_line(CLI::App& app, int& result);
void add_flowback(CLI::App& app, int& result);
#ifdef MAGICWIRE_SIMULATION
void add_run(CLI::App& app, const Invocation& invocation, int& result);
void add_farm(CLI::App& app, const Invocation& invocation, int& result);
void add_cc(CLI::App& app, int& result);
void add_mpi_compilers(CLI::App& app, int& result);
void add_mpirun(CLI::App& app, int& result);
void add_boot(CLI::App& app, int& result);
void add_races(CLI::App& app, int& result);
void add_top(CLI::App& app, const Invocation& invocation, int& result);
void add_overhead(CLI::App& app, int& result);
void add_study(CLI::App& app, int& result);
void add_compare(CLI::App& app, int& result);
void add_score(CLI::App& app, int& result);
void add_order(CLI::App& app, int& result);
void add_schedule(CLI::App& app, int& result);
void add_predict(CLI::App& app, int& result);
void add_isolate(CLI::App& app, int& result);
void add_shell(CLI::App& app, int& result);
void add_validate(CLI::App& app, int& result);
void add_prepare(CLI::App& app, int& result);
#endif

}  // namespace cli
