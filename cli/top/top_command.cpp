// top: a scenario as 'run' does it, shown while it runs.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>
#include <tmon_detrek/detrek.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/live_verdict.hpp"
#include "top/top_figures.hpp"
#include "top/top_screen.hpp"

namespace cli {
namespace {

using oracle::SessionResult;
using scenario::Scenario;
using session::LiveSample;
using session::LiveSession;
using vocabulary::SimTime;
using Clock = std::chrono::steady_clock;

struct TopOptions {
    ScenarioOptions scenario;
    std::string interval = "10ms", colour = "auto";
    double pace = 0;
    bool lines = false, by_records = false, exit_zero = false;
};

constexpr auto least_wall_time = std::chrono::milliseconds(50);  // between two redraws

// Samples a run and sends the samples to a screen, or prints them as lines.
class Top {
public:
    Top(const TopOptions& options, const Scenario& scenario, SimTime interval, std::unique_ptr<TopScreen> screen)
        : options_(options), scenario_(scenario), interval_(interval), screen_(std::move(screen)) {
        if (!scenario.monitor || scenario.farm.nodes == 0 || scenario.mpi) return;
        if (!options.by_records) {
            verdict_ = std::make_unique<LiveVerdict>(scenario);
            return;
        }
        records_ = std::make_unique<RecordsView>(static_cast<std::uint16_t>(scenario.farm.nodes));
        verdict_ = std::make_unique<LiveVerdict>(scenario, *records_);
        records_->set_next(verdict_->feed());
    }

    session::SessionHooks hooks() {
        return {.progress = [this](const session::Progress&) { return go_on(); },
                .feed = feed(),
                .first_moment = interval_,
                .at_moment = [this](LiveSession& session) { return at_moment(session); },
                .at_end = [this](LiveSession& session) { at_end(session); }};
    }
    void close() { screen_.reset(); }  // the terminal is as it was
    bool quit() const { return quit_; }
    // From power-up to the end.
    const TopInterval& total() const { return *total_; }

private:
    tmon_streams::TraceFeed* feed() const {
        if (records_) return records_.get();
        return verdict_ ? &verdict_->feed() : nullptr;
    }
    bool go_on() {
        if (screen_ && !quit_) {
            const auto began = Clock::now();
            quit_ = !screen_->obey_keys();
            const auto paused = Clock::now() - began;
            shown_at_ += paused;
            began_ += paused;
        }
        return !quit_ && interrupted == 0;
    }

    SimTime at_moment(LiveSession& session) {
        keep_pace(session.now());
        const bool news = !last_ || session.machine().now() > last_->time;  // something has happened
        if (news && (!screen_ || Clock::now() - shown_at_ >= least_wall_time)) show(session, session::live_sample(session));
        return session.now() + interval_;
    }

    void at_end(LiveSession& session) {
        const LiveSample end = session::live_sample(session);
        if (!last_ || end.time > last_->time) show(session, end);
        total_.emplace(interval(session::at_power_up(end), end, began_, {}));
        if (records_) total_->records = records_seen(verdict_->look(session));
    }

    TopInterval interval(const LiveSample& before, const LiveSample& now, Clock::time_point since,
                         std::optional<tmon_detrek::Verdict> verdict) const {
        const std::chrono::duration<double> wall = Clock::now() - since;
        const double speed = wall.count() > 0 ? (now.time - before.time).in_seconds() / wall.count() : 0;
        return {scenario_.machine, scenario_.name, before, now, std::move(verdict), {}, speed};
    }

    RecordsSeen records_seen(const tmon_detrek::SoFar& so_far) {
        RecordsSeen seen = records_->look(verdict_->sorter());
        seen.sent = so_far.sent;
        seen.back = so_far.back;
        return seen;
    }

    void show(LiveSession& session, const LiveSample& now) {
        std::optional<tmon_detrek::Verdict> verdict;
        std::optional<RecordsSeen> records;
        if (verdict_) {
            tmon_detrek::SoFar so_far = verdict_->look(session);
            if (records_) records = records_seen(so_far);
            verdict = std::move(so_far.verdict);
        }
        TopInterval seen = interval(last_ ? *last_ : session::at_power_up(now), now, shown_at_, std::move(verdict));
        seen.records = std::move(records);
        if (screen_) {
            screen_->draw(seen);
        } else {
            put(options_.scenario.json ? top_json(seen, "sample").dump() : top_line(seen));
            std::fflush(stdout);
        }
        last_ = now;
        shown_at_ = Clock::now();
    }

    // Slows a short run down: else it would be over before anybody has seen anything.
    void keep_pace(SimTime now) {
        if (options_.pace <= 0) return;
        constexpr double most_s = 1e9;  // what a clock can count
        const auto due = began_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::min(most_s, now.in_seconds() / options_.pace)));
        while (Clock::now() < due && go_on())
            std::this_thread::sleep_for(std::min(due - Clock::now(), Clock::duration(least_wall_time)));
    }

    const TopOptions& options_;
    const Scenario& scenario_;
    SimTime interval_;
    std::unique_ptr<TopScreen> screen_;
    std::unique_ptr<RecordsView> records_;  // null: without --by-records
    std::unique_ptr<LiveVerdict> verdict_;  // null: not monitored
    bool quit_ = false;
    std::optional<LiveSample> last_;
    std::optional<TopInterval> total_;
    Clock::time_point began_ = Clock::now(), shown_at_ = began_;
};

bool with_colour(const std::string& wanted) {
    const char* none = std::getenv("NO_COLOR");
    return wanted == "always" || (wanted == "auto" && (none == nullptr || *none == '\0'));
}

SimTime interval_of(const std::string& text) {
    const vocabulary::SourcePosition where{"--interval " + text, 0, 0};
    const SimTime interval = topologies::parse_time(text, where);
    if (interval < SimTime::us(1))
        throw vocabulary::InputError(where, "expected a time of at least 1us, for example --interval 10ms");
    return interval;
}

void put_end(const TopOptions& options, const Scenario& scenario, const SessionResult& result, const Top& top,
             const tmon_detrek::DetrekResult& analysis, const std::vector<std::string>& arguments) {
    const outcome::Manifest manifest{without_place(arguments), version_text, options.scenario.repeat("run", scenario.seed)};
    if (options.scenario.json) {
        auto json = top_json(top.total(), "total");
        json["summary"] = nlohmann::ordered_json::parse(outcome::summary_json(scenario, result, manifest, analysis.json));
        return put(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    if (!result.observed.console.empty()) put(result.observed.console + "\n");
    put(outcome::summary_text(scenario, result, manifest, outcome::Totals::None));
    if (result.observed.trace && !scenario.mpi) put("\n" + analysis.text);
}

int top(const TopOptions& options, const Invocation& invocation) {
    const SimTime interval = interval_of(options.interval);
    const Scenario scenario = options.scenario.read();
    if (options.by_records && scenario.mpi)
        throw vocabulary::InputError({"--by-records", 0, 0},
                                     "shows records with a farm's tasks, and the scenario runs an MPI program; leave it out");
    if (options.by_records && (!scenario.monitor || scenario.farm.nodes == 0))
        throw vocabulary::InputError({"--by-records", 0, 0},
                                     "wants records, and the scenario is not monitored; add a 'monitor:' to it");
    SessionResult result;
    stop_at_interrupt();
    std::unique_ptr<TopScreen> screen;
    if (!options.lines && !options.scenario.json && isatty(STDOUT_FILENO) != 0)
        screen = TopScreen::open(with_colour(options.colour));
    Top top(options, scenario, interval, std::move(screen));
    oracle::run_session(scenario, result, top.hooks());
    top.close();
    const tmon_detrek::DetrekResult analysis = analysed(scenario, result.observed);
    put_end(options, scenario, result, top, analysis, invocation.arguments);
    if (interrupted != 0 || top.quit()) return exit_code::interrupted;
    return options.exit_zero ? exit_code::nothing_found : exit_code_of(result, analysis);
}

}  // namespace

void add_top(CLI::App& app, const Invocation& invocation, int& result) {
    auto options = std::make_shared<TopOptions>();
    CLI::App* command = app.add_subcommand("top", "Run a scenario and watch nodes, links, buffers and losses while it runs");
    options->scenario.takes_mpi = true;
    options->scenario.add_to(*command);
    command->add_option("--interval", options->interval, "modelled time from one display to the next")
        ->type_name("TIME")
        ->capture_default_str();
    command->add_flag("--lines", options->lines, "print one line an interval; default when standard output is not a terminal");
    command->add_flag("--by-records", options->by_records,
                      "show what the host's records tell, beside the truth: streams, messages under way, the causal sort");
    command->add_option("--color", options->colour, "auto (not when NO_COLOR is set), always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command
        ->add_option_function<std::string>(
            "--pace", [options](const std::string& text) { options->pace = positive_number("--pace", text); },
            "most modelled seconds a second of wall time, to watch a short run")
        ->type_name("NUMBER");
    command->add_flag("--exit-zero", options->exit_zero, "exit with 0 also when a fault was found or the answer is unknown");
    command->footer(
        "On the screen: q ends the run, p pauses it, arrow and page keys scroll. Exit codes are those of 'run'; 130 after q or "
        "Ctrl-C.\n\n"
        "Examples:\n  magicwire top examples/thesis/dc8.yaml --pace 0.1\n"
        "  magicwire top examples/thesis/dc8.yaml --interval 50ms --lines\n"
        "  magicwire top examples/thesis/dc8.yaml --json | jq -c '[.until_us, .results_so_far]'\n");
    command->callback([options, &invocation, &result] { result = top(*options, invocation); });
}

}  // namespace cli
