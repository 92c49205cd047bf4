#include "shell/shell_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <forks/child_process.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "shell/line_input.hpp"
#include "shell/shell_line.hpp"

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
    Reader(const ShellReading& reading, ShellWire& wire, pid_t machine)
        : reading_(reading), wire_(wire), machine_(machine), input_(reading.commands) {
        asked_machine = machine;
        end_by_sigterm();
        pass_on_sigint();
    }

    int go() {
        auto ready = wire_.receive();
        if (ready && !ready->ok) return end(tell("", *ready));
        if (input_.interactive() && ready) put(reading_.greeting);
        while (ready && !over_) {
            const auto line = input_.next(fmt::format("magicwire {}> ", prompt_));
            if (line && without_comment(*line, reading_.hash).empty()) continue;
            const std::string command = line ? without_comment(*line, reading_.hash) : "quit";
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
            if (!reading_.json) put(answer.text);
            answer.text = reading_.json ? answer.text + how : how;
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
        prompt_ = time_word(vocabulary::SimTime::ps(answer.now_ps));
        over_ = answer.over;
        if (reading_.json) {
            nlohmann::ordered_json json = {
                {"schema", "magicwire.shell/1"}, {"line", input_.line()}, {"command", command}, {"ok", answer.ok},
                {"time_ps", answer.now_ps},      {"text", answer.text}};
            if (!answer.data.empty()) json["data"] = nlohmann::ordered_json::parse(answer.data);
            if (!command.empty()) put(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
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

    const ShellReading& reading_;
    ShellWire& wire_;
    pid_t machine_;
    bool over_ = false;
    LineInput input_;
    std::string prompt_ = "0ps";
};

}  // namespace

int read_shell(const ShellReading& reading, ShellWire& wire, const std::function<void()>& serve) {
    const pid_t machine = forks::fork_child("the machine");
    if (machine == 0) {
        wire.be_machine();
        const int nothing = open("/dev/null", O_RDONLY);  // standard input is the reader's
        dup2(nothing, STDIN_FILENO);
        serve();
        _exit(exit_code::self_check);
    }
    wire.be_reader();
    std::signal(SIGPIPE, SIG_IGN);  // the end of the machine is reported
    return Reader(reading, wire, machine).go();
}

}  // namespace cli
