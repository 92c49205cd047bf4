// magicwire shell: its options. The machine runs in a process of its own (shell_machine.hpp).
#include <memory>

#include <scenario/scenario.hpp>
#include <topologies/strict_yaml.hpp>

#include "frame/command.hpp"
#include "frame/scenario_options.hpp"
#include "shell/shell_machine.hpp"
#include "shell/shell_reader.hpp"
#include "shell/shell_wire.hpp"

namespace cli {
namespace {

int shell(const ScenarioOptions& options, const ShellOptions& its) {
    const bool alone = scenario::is_machine_file(options.file);
    const scenario::Scenario scenario = alone ? options.read_machine() : options.read();
    ShellWire wire;
    const ShellReading reading{
        .commands = ShellMachine::commands_with_arguments(),
        .greeting = "The machine is switched on. 'help' lists the commands, 'run' lets modelled time go on, 'quit' ends.",
        .json = options.json};
    return read_shell(reading, wire, [&] { ShellMachine(scenario, options, wire, its).serve(); });
}

}  // namespace

void add_shell(CLI::App& app, int& result) {
    struct Options {
        ScenarioOptions scenario;
        ShellOptions shell;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "shell",
        "Control a running machine: type Trollius' commands, look, take snapshots and go back to them, try what-if branches");
    options->scenario.takes_mpi = true;
    options->scenario.add_to(*command, "MACHINE|SCENARIO", "machine file or scenario file (YAML)");
    options->scenario.add_files_to(*command);
    command->add_option("--progress", options->shell.progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command
        ->add_option_function<std::string>(
            "--time-out",
            [options](const std::string& text) {
                options->shell.time_out = topologies::parse_time(text, {"--time-out", 0, 0});
            },
            "modelled time that a command waits for a node's answer (1s)")
        ->type_name("TIME");
    command->add_flag_callback(
        "--classic", [options] { options->shell.time_out.reset(); },
        "wait for ever, as the original does; Ctrl-C ends a command");
    command->footer(
        "Commands come from the terminal or from standard input, one a line; '#' begins a comment. 'help' lists them.\n"
        "Examples:\n  magicwire shell examples/thesis/dc8.yaml\n"
        "  printf 'run until 730ms\\nwhat-if seed=2; fault=die n5\\n' | magicwire shell examples/thesis/dc8.yaml\n"
        "  printf 'spread\\ntping -c3 n7\\nstate -g n7\\n' | magicwire shell topologies/machines/btree_8.yaml\n");
    command->callback([options, &result] { result = shell(options->scenario, options->shell); });
}

}  // namespace cli
