// magicwire: one binary with subcommands. Standard output carries results only; progress, logs and errors go to standard error.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace {

constexpr const char* footer =
    R"(Exit codes: 0 done, nothing found; 1 done, a fault was found; 2 wrong usage; 3 input unreadable or invalid;
4 the answer is unknown because evidence is missing; 5 a self-check failed; 6 more work than its budget allows;
70 a defect of Magicwire; 71 the host lacks memory, disk or a process; 130 interrupted.

Examples:
  magicwire run examples/thesis/dc8.yaml            the thesis' first session, from power-up to the fault
  magicwire run examples/thesis/dc8.yaml --out out  the same, and keep the trace
  magicwire farm new pi && magicwire farm run pi    a farm program of your own
  magicwire detrek -cp out/data                     analyse that trace again, or any other PREFIX.spf and PREFIX.tvm
)";

bool is_flag_of_mpirun(const std::string& word) {
    static constexpr std::array flags = {"-v",          "--verbose", "--json",  "--fence",    "--no-buffering",
                                         "--no-checks", "--strict",  "--tasks", "--messages", "--races",
                                         "-f",          "--force",   "-h",      "--help"};
    return std::find(flags.begin(), flags.end(), word) != flags.end();
}

// mpirun is called with -np everywhere; the parser would read -n p. Words behind "--" are a command of the user, which record
// and replay take from the invocation.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words(argv, argv + argc);
    if (words.size() >= 2 && (words[1] == "record" || words[1] == "replay"))
        words.erase(std::find(words.begin(), words.end(), "--"), words.end());
    if (words.size() < 2 || words[1] != "mpirun") return words;
    for (std::size_t i = 2; i < words.size() && words[i].starts_with('-'); ++i) {
        if (words[i] == "-np") words[i] = "--np";
        if (!is_flag_of_mpirun(words[i]) && words[i].find('=') == std::string::npos) ++i;  // its value
    }
    return words;
}

int run(int argc, char** argv) {
    CLI::App app{"A transputer multicomputer on your desk, and a monitor whose own cost you can see.", "magicwire"};
    app.footer(footer);
    app.formatter(std::make_shared<cli::HelpFormatter>());
    app.require_subcommand(1);
    app.set_version_flag("--version", cli::version_text);
    int result = 0;
    const cli::Invocation invocation{{argv + 1, argv + argc}};
    if (invocation.json()) cli::tell_errors_as_json();
    cli::add_describe(app, result);
    cli::add_costs(app, result);
    cli::add_bugs(app, result);
    cli::add_topology(app, result);
    cli::add_faults(app, result);
#ifdef MAGICWIRE_SIMULATION
    cli::add_settings(app, result);
    cli::add_run(app, invocation, result);
    cli::add_shell(app, result);
    cli::add_farm(app, invocation, result);
    cli::add_cc(app, result);
    cli::add_mpi_compilers(app, result);
    cli::add_mpirun(app, result);
    cli::add_boot(app, result);
    cli::add_races(app, result);
    cli::add_top(app, invocation, result);
    cli::add_overhead(app, result);
    cli::add_study(app, result);
    cli::add_compare(app, result);
    cli::add_order(app, result);
    cli::add_score(app, result);
    cli::add_schedule(app, result);
    cli::add_predict(app, result);
    cli::add_isolate(app, result);
    cli::add_validate(app, result);
    cli::add_prepare(app, result);
#endif
    cli::add_tvmfilter(app, result);
    cli::add_detrek(app, result);
    cli::add_models(app, result);
    cli::add_story(app, result);
    cli::add_why(app, result);
    cli::add_graph(app, result);
    cli::add_clocks(app, result);
    cli::add_trace(app, result);
    cli::add_export(app, result);
    cli::add_sort(app, result);
    cli::add_asm(app, result);
    cli::add_disasm(app, result);
    cli::add_record(app, invocation, result);
    cli::add_evaluate(app, result);
    cli::add_line(app, result);
    cli::add_flowback(app, result);
    try {
        const std::vector<std::string> words = words_of(argc, argv);
        std::vector<const char*> spelt;
        for (const std::string& word : words) spelt.push_back(word.c_str());
        app.parse(static_cast<int>(spelt.size()), spelt.data());
    } catch (const CLI::ParseError& error) {
        const bool is_error = error.get_exit_code() != 0;  // --help is none
        if (is_error && invocation.json()) {
            cli::tell_error(cli::exit_code::usage, error.what());
        } else {
            app.exit(error);
        }
        return is_error ? cli::exit_code::usage : 0;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw vocabulary::HostError({"standard output", 0, 0}, "cannot be written; is the disk full?");
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL);                                     // `magicwire ... | head` ends quietly
    std::signal(SIGABRT, [](int) { _exit(cli::exit_code::defect); });  // a broken contract has said so
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is reported like a full disk
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        return cli::tell_error(error);
    }
}
