// magicwire shell: reads commands and prints their answers. The machine runs in a process of its own (shell_machine.hpp).
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <forks/child_process.hpp>
#include <scenario/scenario.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/scenario_options.hpp"
#include "shell/line_input.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"
#include "shell/shell_wire.hpp"

namespace cli {
namespace {

volatile std::sig_atomic_t asking = 0, terminated = 0;
pid_t asked_machine = 0;  // read by the handler

// SIGTERM: a command under way is stopped and reported as after Ctrl-C, and then the session ends. A session that waits for a
// command ends at once.
void end_by_sigterm() {
    struct sigaction action {};
    action.sa_handler = [](int) {
        if (asking == 0 || terminated != 0) {
            std::signal(SIGTERM, SIG_DFL);
            raise(SIGTERM);
        }
        terminated = 1;
        kill(asked_machine, SIGINT);
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, nullptr);
}

// SIGINT stops the command under way, not the session. In a terminal it reaches the machine's process, too; one sent to this
// process alone does not.
void pass_on_sigint() {
    struct sigaction action {};
    action.sa_handler = [](int) {
        if (asking != 0) kill(asked_machine, SIGINT);
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
}

class Reader {
public:
    Reader(ShellWire& wire, pid_t machine, bool json) : wire_(wire), machine_(machine), json_(json) {
        asked_machine = machine;
        end_by_sigterm();
        pass_on_sigint();
    }

    int go() {
        auto ready = wire_.receive();
        if (ready && !ready->ok) return end(tell("", *ready));
        if (input_.interactive() && ready)
            put("The machine is switched on. 'help' lists the commands, 'run' lets modelled time go on, 'quit' ends.");
        while (ready && !over_) {
            const auto line = input_.next(fmt::format("magicwire {}> ", prompt_));
            if (line && without_comment(*line).empty()) continue;
            const std::string command = line ? without_comment(*line) : "quit";
            asking = 1;
            const auto answer = wire_.ask(command);
            asking = 0;
            if (!answer) break;
            const int failed = answer->asks.empty() ? tell(command, *answer) : ask(command, *answer);
            if (terminated != 0) return end(exit_code::interrupted);
            if (failed != 0 && !input_.interactive()) return end(failed);
        }
        if (over_) return end(exit_code::nothing_found);
        tell_error(exit_code::self_check, "the process of the machine ended, and there was no snapshot to go back to");
        return end(exit_code::self_check);
    }

private:
    // A plan that somebody has to agree to. From a pipe nobody can.
    int ask(const std::string& command, ShellAnswer answer) {
        if (!input_.interactive()) {
            const std::string how = fmt::format(
                "nothing has changed: the command asks first, and nobody can answer here; '{}' does it", answer.asks);
            if (!json_) put(answer.text);
            answer.text = json_ ? answer.text + how : how;
            answer.ok = false;
            return tell(command, answer);
        }
        tell(command, answer);
        const auto word = input_.next("Set the switches so? [y/N] ");
        if (!word || (*word != "y" && *word != "yes")) {
            put("nothing has changed");
            return exit_code::nothing_found;
        }
        asking = 1;
        const auto done = wire_.ask(answer.asks);
        asking = 0;
        return done ? tell(answer.asks, *done) : exit_code::self_check;
    }

    int tell(const std::string& command, const ShellAnswer& answer) {
        prompt_ = ShellMachine::time_word(vocabulary::SimTime::ps(answer.now_ps));
        over_ = answer.over;
        if (json_) {
            nlohmann::ordered_json json = {
                {"schema", "magicwire.shell/1"}, {"line", input_.line()}, {"command", command}, {"ok", answer.ok},
                {"time_ps", answer.now_ps},      {"text", answer.text}};
            if (!answer.data.empty()) json["data"] = nlohmann::ordered_json::parse(answer.data);
            if (!command.empty()) put(json.dump());
        } else if (answer.ok && !answer.text.empty()) {
            put(answer.text);
        }
        std::fflush(stdout);
        if (answer.ok) return exit_code::nothing_found;
        const bool of_line = !command.empty() && !input_.interactive();
        const int code = answer.text == interrupted_text ? exit_code::interrupted : exit_code::of(answer.kind);
        if (of_line && code == exit_code::bad_input) {
            tell_error(vocabulary::InputError({"standard input", input_.line(), 0}, answer.text));
        } else {
            tell_error(code, (of_line ? fmt::format("standard input:{}: ", input_.line()) : "") + answer.text);
        }
        return code;
    }

    // When the session ends early, the machine's process does too, and with it all that it forked.
    int end(int code) const {
        if (code != exit_code::nothing_found) kill(machine_, SIGKILL);
        forks::wait_for_child(machine_);
        return code;
    }

    ShellWire& wire_;
    pid_t machine_;
    bool json_, over_ = false;
    LineInput input_{ShellMachine::commands_with_arguments()};
    std::string prompt_ = "0ps";
};

int shell(const ScenarioOptions& options, const ShellOptions& its) {
    const bool alone = scenario::is_machine_file(options.file);
    const scenario::Scenario scenario = alone ? options.read_machine() : options.read();
    ShellWire wire;
    const pid_t machine = forks::fork_child("the machine");
    if (machine == 0) {
        wire.be_machine();
        const int nothing = open("/dev/null", O_RDONLY);  // standard input is the reader's
        dup2(nothing, STDIN_FILENO);
        ShellMachine(scenario, options, wire, its).serve();
    }
    wire.be_reader();
    std::signal(SIGPIPE, SIG_IGN);  // the end of the machine is reported
    return Reader(wire, machine, options.json).go();
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
