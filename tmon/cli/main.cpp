// magicwire: one binary with subcommands. Standard output carries results only; progress, logs and errors go to standard error.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include <vocabulary/source_position.hpp>

#include "command.hpp"

namespace {

constexpr const char* footer =
    R"(Exit codes: 0 done, nothing found; 1 done, a fault was found; 2 wrong usage; 3 input unreadable or invalid;
4 the answer is unknown because evidence is missing; 5 a self-check failed; 6 more work than its budget allows;
130 interrupted.

Examples:
  magicwire run examples/thesis/dc8.yaml            the thesis' first session, from power-up to the fault
  magicwire run examples/thesis/dc8.yaml --out out  the same, and keep the trace
  magicwire farm new pi && magicwire farm run pi    a farm program of your own
  magicwire detrek -cp out/data                     analyse that trace again, or any other PREFIX.spf and PREFIX.tvm
)";

int run(int argc, char** argv) {
    CLI::App app{"A transputer multicomputer on your desk, and a monitor whose own cost you can see.", "magicwire"};
    app.footer(footer);
    app.formatter(std::make_shared<tmon_cli::HelpFormatter>());
    app.require_subcommand(1);
    app.set_version_flag("--version", tmon_cli::version_text);
    int result = 0;
    const tmon_cli::Invocation invocation{{argv + 1, argv + argc}};
    if (invocation.json()) tmon_cli::tell_errors_as_json();
    tmon_cli::add_describe(app, result);
    tmon_cli::add_costs(app, result);
    tmon_cli::add_bugs(app, result);
    tmon_cli::add_topology(app, result);
    tmon_cli::add_faults(app, result);
#ifdef MAGICWIRE_SIMULATION
    tmon_cli::add_run(app, invocation, result);
    tmon_cli::add_shell(app, result);
    tmon_cli::add_farm(app, invocation, result);
    tmon_cli::add_top(app, invocation, result);
    tmon_cli::add_overhead(app, result);
    tmon_cli::add_schedule(app, result);
    tmon_cli::add_predict(app, result);
    tmon_cli::add_validate(app, result);
#endif
    tmon_cli::add_tvmfilter(app, result);
    tmon_cli::add_detrek(app, result);
    tmon_cli::add_clocks(app, result);
    tmon_cli::add_trace(app, result);
    tmon_cli::add_export(app, result);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool is_error = error.get_exit_code() != 0;  // --help is none
        if (is_error && invocation.json()) {
            tmon_cli::tell_error(tmon_cli::exit_code::usage, error.what());
        } else {
            app.exit(error);
        }
        return is_error ? tmon_cli::exit_code::usage : 0;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw vocabulary::InputError({"standard output", 0, 0}, "cannot be written; is the disk full?");
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL);  // `magicwire ... | head` ends quietly
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is reported like a full disk
    try {
        return run(argc, argv);
    } catch (const vocabulary::InputError& error) {
        tmon_cli::tell_error(error);
    } catch (const std::exception& error) {
        tmon_cli::tell_error(tmon_cli::exit_code::bad_input, error.what());
    }
    return tmon_cli::exit_code::bad_input;
}
