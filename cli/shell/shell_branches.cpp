// `what-if`: the rest of the run, unchanged and with each set of changes, each in a fork.
#include <oracle/session_result.hpp>

#include <session/live_change.hpp>

#include "frame/interrupt.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

void ShellMachine::become_branch(const std::string& changes) {
    branch_ = true;
    if (debugger_) debugger_->let_go(false);
    try {
        session::change(live(), session::parse_changes(changes));
        scenario_ = live().scenario();
    } catch (const std::exception& error) {  // the run must not go on unchanged
        forks_->fail(error);
    }
}

std::optional<ShellAnswer> ShellMachine::fork_branches(const std::vector<std::string>& texts) {
    constexpr std::size_t at_once = 2;
    forks_ = std::make_unique<forks::Forks>();
    try {
        for (const std::string& text : texts) {
            if (interrupted != 0) break;
            forks_->wait(at_once - 1);
            if (!forks_->start()) continue;
            become_branch(text);
            return std::nullopt;
        }
        forks_->wait(0);
    } catch (const std::exception&) {
        forks_.reset();  // ends those that have begun
        throw;
    }
    std::vector<outcome::Branch> branches;
    bool failed = false;
    const auto& answers = forks_->answers();
    for (std::size_t i = 0; i < answers.size(); ++i) {
        branches.push_back({i == 0 ? "unchanged" : std::to_string(i), texts[i], answers[i].bytes, answers[i].failure});
        failed |= answers[i].how != forks::ChildAnswer::How::Done;
    }
    forks_.reset();
    if (interrupted != 0) return ShellAnswer{.ok = false, .text = interrupted_text};
    if (failed) return ShellAnswer{.ok = false, .text = "a branch failed:\n" + outcome::futures_text(now(), branches)};
    return ShellAnswer{.text = outcome::futures_text(now(), branches), .data = outcome::futures_json(now(), branches)};
}

}  // namespace cli
