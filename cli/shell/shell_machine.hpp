// ShellMachine: the machine's side of `magicwire shell`, a session held at a moment between two commands. A snapshot is this
// process itself, waiting while a fork of it goes on. Going back kills the fork and makes another.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <forks/forks.hpp>
#include <oracle/session_result.hpp>
#include <outcome/futures.hpp>
#include <outcome/outputs.hpp>
#include <session/live_session.hpp>
#include <tmon_detrek/detrek.hpp>
#include <vocabulary/errors.hpp>

#include "frame/scenario_options.hpp"
#include "shell/shell_wire.hpp"

namespace cli {

class ProgressLine;

inline constexpr const char* interrupted_text = "stopped by Ctrl-C";

class ShellMachine {
public:
    // All outlive it.
    ShellMachine(const scenario::Scenario& scenario, const ScenarioOptions& options, ShellWire& wire,
                 const std::string& progress);
    ~ShellMachine();
    ShellMachine(const ShellMachine&) = delete;
    ShellMachine& operator=(const ShellMachine&) = delete;
    [[noreturn]] void serve();

    static std::string time_word(vocabulary::SimTime time);  // "12.4ms", exact

private:
    using SimTime = vocabulary::SimTime;
    struct Command {
        const char *name, *arguments, *help;
        ShellAnswer (ShellMachine::*obey)(const std::string& arguments);
    };
    struct Snapshot {
        std::string name;
        SimTime at;
    };
    // A command in progress that lets modelled time go on.
    struct Going {
        SimTime until = SimTime::never();
        std::function<bool()> there{};  // true: ends the command
        std::string done{};             // the answer at that point
    };

    static const std::vector<Command>& commands();
    void simulate();
    SimTime at_moment(session::LiveSession& live);
    SimTime next_moment() const;
    // Returns when a command lets time go on, or when this process has become a branch.
    void obey_commands();
    ShellAnswer obey(const std::string& line);
    void say(ShellAnswer answer);
    SimTime now() const;
    session::LiveSession& live() const;           // throws when the run has ended
    const oracle::SessionResult& result() const;  // throws when the run has not ended

    ShellAnswer help(const std::string& arguments);
    ShellAnswer status(const std::string& arguments);
    ShellAnswer run(const std::string& arguments);
    ShellAnswer snapshot(const std::string& arguments);
    ShellAnswer snapshots(const std::string& arguments);
    ShellAnswer back(const std::string& arguments);
    ShellAnswer what_if(const std::string& arguments);
    ShellAnswer set(const std::string& arguments);
    ShellAnswer fault(const std::string& arguments);
    ShellAnswer seed(const std::string& arguments);
    ShellAnswer state(const std::string& arguments);
    ShellAnswer spread(const std::string& arguments);
    ShellAnswer loadgo(const std::string& arguments);
    ShellAnswer hostmon(const std::string& arguments);
    ShellAnswer monctrl(const std::string& arguments);
    ShellAnswer summary(const std::string& arguments);
    ShellAnswer verdict(const std::string& arguments);
    ShellAnswer save(const std::string& arguments);
    ShellAnswer quit(const std::string& arguments);

    ShellAnswer go(Going going);
    ShellAnswer change(const std::vector<scenario::Setting>& changes);
    // The parent stays as the snapshot; only forks that go on from it return. Returns the answer to the command that the fork
    // obeys.
    ShellAnswer hold(std::size_t number);
    void become_branch(const std::string& changes);
    std::optional<ShellAnswer> fork_branches(const std::vector<std::string>& texts);
    outcome::Manifest manifest() const;

    scenario::Scenario scenario_;  // the run's, with the changes so far
    const ScenarioOptions& options_;
    ShellWire& wire_;
    const std::string& progress_;
    std::unique_ptr<ProgressLine> line_;  // while the run is under way
    const std::uint64_t first_seed_;
    session::LiveSession* live_ = nullptr;  // null: the run has not begun, or has ended
    SimTime last_;                          // last known moment of the run
    oracle::SessionResult result_;
    std::string failure_;  // why the run could not finish
    vocabulary::ErrorKind failure_kind_ = vocabulary::ErrorKind::Defect;
    std::optional<tmon_detrek::DetrekResult> analysis_;  // once the run has ended
    std::optional<Going> going_;
    std::vector<Snapshot> snapshots_;  // ancestors of this process, the oldest first
    std::vector<std::pair<SimTime, std::string>> changes_;
    std::unique_ptr<forks::Forks> forks_;
    bool branch_ = false;  // this process is a branch of what-if
};

}  // namespace cli
