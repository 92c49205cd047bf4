#include "runs/futures_run.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <forks/forks.hpp>
#include <oracle/session_result.hpp>
#include <outcome/futures.hpp>
#include <outcome/run_folder.hpp>
#include <session/live_change.hpp>
#include <tmon_detrek/detrek.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"

namespace cli {
namespace {

using forks::Forks;
using oracle::SessionResult;
using outcome::Branch;
using scenario::Scenario;
using session::LiveSession;
using vocabulary::InputError;
using vocabulary::SimTime;

constexpr std::size_t at_once = 2;  // processes: the run itself is one
constexpr int look_ms = 100;        // how often a waiting process looks for Ctrl-C

class FuturesOfRun {
public:
    FuturesOfRun(const Scenario& scenario, const FutureOptions& options, const FuturesRun& run)
        : scenario_(scenario),
          options_(options),
          run_(run),
          at_(topologies::parse_time(options.at, {"--fork-at " + options.at, 0, 0})) {
        for (const std::string& text : options.what_if) changes_.push_back(session::parse_changes(text));
        check();
    }

    int go() {
        stop_at_interrupt();
        SessionResult result;
        try {
            simulate(result);
        } catch (const std::exception& error) {
            if (!me_) throw;
            forks_->fail(error);
        }
        if (me_) forks_->deliver(finish(result));
        if (!reached_ && interrupted == 0)
            throw InputError(
                {"--fork-at " + options_.at, 0, 0},
                fmt::format("the run had ended before, after {} us; give an earlier moment", result.observed.modelled.in_us()));
        const std::string figures = finish(result);
        wait(0);
        return tell(figures);
    }

private:
    // Checks before the work, not after it: what can be changed then, and where the files go.
    void check() const {
        for (const auto& changes : changes_) session::check_changes(scenario_, changes, at_);
        if (run_.out.empty()) return;
        for (std::size_t i = 0; i <= changes_.size(); ++i) outcome::check_output_place(folder(i), run_.force);
        if (std::filesystem::exists(folder(changes_.size() + 1)))
            throw InputError({folder(changes_.size() + 1), 0, 0},
                             "already exists, from a run with more branches; name another folder with --out, or remove it");
    }

    // 0: the unchanged run.
    std::string folder(std::size_t number) const {
        return (std::filesystem::path(run_.out) / (number == 0 ? "unchanged" : std::to_string(number))).string();
    }

    void simulate(SessionResult& result) {
        ProgressLine line(run_.progress);
        const auto draw = line.callback();
        if (!run_.out.empty()) folder_.emplace(folder(0), run_.force);
        session::SessionHooks hooks{.progress = [&](const session::Progress& now) { return me_ || draw(now); },
                                    .trace = folder_ ? folder_->begin_trace(scenario_, run_.manifest("")) : nullptr,
                                    .first_moment = at_,
                                    .at_moment = [this](LiveSession& live) { return fork(live); }};
        for (const auto& changes : changes_) {
            for (const auto& [name, value] : changes) hooks.faults_may_come |= name == "fault" || name == "faults";
        }
        oracle::run_session(scenario_, result, hooks);
    }

    // Waits until at most so many branches still run, or for Ctrl-C.
    void wait(std::size_t most_running) {
        while (forks_->running() > most_running && interrupted == 0) forks_->listen(look_ms);
    }

    // The run itself is the second process beside the last branch.
    SimTime fork(LiveSession& live) {
        reached_ = true;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            wait(at_once - (i + 1 == changes_.size() ? 2 : 1));
            if (interrupted != 0) break;
            if (!forks_->start()) continue;
            me_ = i;
            for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_IGN);  // the run itself ends its branches
            if (folder_) folder_->go_on_in(folder(i + 1), scenario_);
            session::change(live, changes_[i]);
            scenario_ = live.scenario();
            break;
        }
        return SimTime::never();
    }

    std::string finish(const SessionResult& result) {
        const tmon_detrek::DetrekResult analysis = analysed(scenario_, result.observed);
        if (!me_) exit_ = exit_code_of(result, analysis);
        if (folder_)
            folder_->finish(scenario_, result, run_.manifest(me_ ? options_.what_if[*me_] : std::string()), analysis.json);
        return outcome::branch_figures(scenario_, result, analysis);
    }

    int tell(const std::string& figures) {
        std::vector<Branch> branches{{"unchanged", {}, figures, {}}};
        bool failed = false;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            Branch branch{std::to_string(i + 1), options_.what_if[i], {}, "interrupted before it was begun"};
            if (i < forks_->answers().size()) {
                const forks::ChildAnswer& answer = forks_->answers()[i];
                branch.figures = answer.bytes;
                branch.failure =
                    interrupted != 0 && branch.figures.empty() ? "interrupted before it had ended" : answer.failure;
            }
            failed |= branch.figures.empty();
            branches.push_back(std::move(branch));
        }
        forks_.reset();  // ends those that still run
        put(run_.json ? outcome::futures_json(at_, branches) : outcome::futures_text(at_, branches));
        if (interrupted != 0) {
            std::fflush(stdout);
            tell_error(exit_code::interrupted, "interrupted; unfinished branches were stopped");
            return exit_code::interrupted;
        }
        if (failed) return exit_code::bad_input;
        return run_.exit_zero ? exit_code::nothing_found : exit_;
    }

    Scenario scenario_;  // in a branch with its changes
    const FutureOptions& options_;
    const FuturesRun& run_;
    SimTime at_;
    std::vector<std::vector<scenario::Setting>> changes_;
    std::optional<outcome::RunFolder> folder_;
    std::optional<Forks> forks_{std::in_place};
    std::optional<std::size_t> me_;  // in a child: its branch
    bool reached_ = false;
    int exit_ = exit_code::nothing_found;
};

}  // namespace

void FutureOptions::add_to(CLI::App& command) {
    CLI::Option* fork_at = command
                               .add_option("--fork-at", at,
                                           "modelled time, as 12.4ms: from there the run goes on once unchanged and once for "
                                           "each --what-if; results are printed side by side")
                               ->type_name("TIME");
    option = fork_at;
    command
        .add_option("--what-if", what_if,
                    "NAME=VALUE,NAME=VALUE,...: a branch with these changes; names as monitor.unload, seed, fault, faults, "
                    "end.limit (docs/guide/shell.md); '' changes nothing; give it again for more branches")
        ->type_name("CHANGES")
        ->take_all()
        ->allow_extra_args(false)
        ->needs(fork_at);
    for (const char* other : {"--vcd", "--oracle", "--report", "--report-page", "--predict", "--totals"})
        fork_at->excludes(command.get_option(other));
}

int run_futures(const Scenario& scenario, const FutureOptions& options, const FuturesRun& run) {
    return FuturesOfRun(scenario, options, run).go();
}

}  // namespace cli
