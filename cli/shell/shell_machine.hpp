// ShellMachine: the machine's side of `magicwire shell`, a session held at a moment between two commands. A snapshot is this
// process itself, waiting while a fork of it goes on. Going back kills the fork and makes another.
//
// Commands of Trollius are processes of the modelled host (trollius_commands). The machine stays when the run has ended. After
// `spread` the machine has booted and the shell holds it: a person may load all programs by commands, or let the session do so.
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
#include <node_programs/programs.hpp>
#include <oracle/session_result.hpp>
#include <outcome/futures.hpp>
#include <outcome/outputs.hpp>
#include <rank_debugger/rank_debugger.hpp>
#include <session/live_session.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_sorted/arrival_log.hpp>
#include <trollius_commands/command_run.hpp>
#include <trollius_hosted/reconfiguration_plan.hpp>
#include <vocabulary/errors.hpp>

#include "frame/scenario_options.hpp"
#include "shell/shell_wire.hpp"
#include "shell/to_cut.hpp"

namespace cli {

class Breakpoints;
struct BreakOrder;
class LiveVerdict;
struct Breakpoint;
class LeftText;
class ProgressLine;

struct ShellOptions {
    std::string progress = "auto";
    std::optional<vocabulary::SimTime> time_out = vocabulary::SimTime::s(1);  // of an answer to a command; none: for ever
};

class ShellMachine {
public:
    // All outlive it. A scenario without a farm is a machine alone.
    ShellMachine(const scenario::Scenario& scenario, const ScenarioOptions& options, ShellWire& wire,
                 const ShellOptions& shell);
    ~ShellMachine();
    ShellMachine(const ShellMachine&) = delete;
    ShellMachine& operator=(const ShellMachine&) = delete;
    [[noreturn]] void serve();

    static std::vector<std::string> commands_with_arguments();
    static constexpr std::size_t most_snapshots = 64;  // from which this process may descend

private:
    using SimTime = vocabulary::SimTime;
    struct Entry {
        const char *name, *arguments, *help;
        ShellAnswer (ShellMachine::*obey)(const std::string& arguments);
    };
    struct Snapshot {
        std::string name;
        SimTime at;
        std::size_t changes = 0;            // made before it
        std::vector<std::uint32_t> acts{};  // by node (instrumentation/act_script.hpp)
    };
    // A command in progress that lets modelled time go on.
    struct Going {
        SimTime until = SimTime::never();
        std::function<bool()> there{};           // true: ends the command
        std::function<ShellAnswer()> answer{};   // at that point
        SimTime step = SimTime::ms(2);           // how often `there` and Ctrl-C are looked at
        bool by_session = true;                  // the session goes on; else only what runs already
        bool ends_when_one_computes_on = false;  // see computes_on_
    };
    using Change = ShellChange;
    // Session: it decides what comes next. Booted: it waits for programs. Ended: its result is complete.
    enum class Stage { Session, Booted, Ended };

    static const std::vector<Entry>& commands();
    void simulate();
    SimTime at_moment(session::LiveSession& live);
    SimTime next_moment() const;
    bool booted(session::LiveSession& live);
    void ended(session::LiveSession& live);
    // Obeys commands while the session waits. Returns when a command lets the session go on, or this process is a branch.
    void hold(Stage stage);
    void let_time_go_on();
    // True when the command in progress is over, by itself or by Ctrl-C. It is answered then.
    bool is_over();
    // Returns when a command lets time go on, or when this process has become a branch.
    void obey_commands();
    ShellAnswer obey(const std::string& line);
    void say(ShellAnswer answer);
    SimTime now() const;
    session::LiveSession& live() const;     // throws when there is no machine any more
    session::LiveSession& running() const;  // throws when the run has ended
    // The messages of users that nobody has received, a line for each destination. Empty: none.
    std::string unreceived() const;
    bool without_farm() const { return scenario_.farm.nodes == 0; }
    const oracle::SessionResult& result() const;  // throws when the run has not ended

    ShellAnswer help(const std::string& arguments);
    ShellAnswer status(const std::string& arguments);
    ShellAnswer run(const std::string& arguments);
    ShellAnswer snapshot(const std::string& arguments);
    ShellAnswer snapshots(const std::string& arguments);
    ShellAnswer back(const std::string& arguments);
    // shell_break.cpp
    ShellAnswer break_when(const std::string& arguments);
    ShellAnswer wait_for(const std::string& predicate);
    ShellAnswer answer_of_breakpoints();  // those that became true
    std::string breakpoint_text(const Breakpoint& one) const;
    std::string breakpoints_json(const std::vector<Breakpoint>& all) const;
    Breakpoints& breakpoints() const;  // throws when there is no farm, or it is not monitored
    bool stopped_at_breakpoint() const;
    void leave_breakpoints();              // for the snapshots
    std::string breakpoints_from_later();  // in a snapshot: those that the process before has left
    void delete_breakpoints(std::optional<std::size_t> number);
    // shell_debug.cpp
    rank_debugger::RankDebugger& debugger();  // throws when there is no MPI program
    void stopped_in_rank(const rank_debugger::Answer& where);
    void refuse_in_event(const std::string& command) const;
    ShellAnswer break_at(const BreakOrder& order);
    bool delete_places(std::optional<std::size_t> number);
    std::string places_text() const;
    std::string with_places(const std::string& breakpoints) const;  // the JSON of breakpoints, with places
    void leave_places();                                            // for the snapshots
    std::vector<std::size_t> places_from_later();                   // numbers of the new ones
    std::vector<std::size_t> meant_ranks(const std::string& words);
    ShellAnswer where(const std::string& arguments);
    ShellAnswer print(const std::string& arguments);
    ShellAnswer step(const std::string& arguments);
    ShellAnswer finish(const std::string& arguments);
    ShellAnswer step_by(const std::string& rank_word, rank_debugger::StepKind kind);
    // shell_cut.cpp
    ShellAnswer back_to_cut(const std::string& arguments);
    ShellAnswer release(const std::string& arguments);
    bool makers_since(const Snapshot& snapshot, ToCut& to) const;
    bool goes_nowhere(ToCut& to);
    bool is_at_cut(const ToCut& to) const;
    std::string cut_text(const ToCut& to) const;
    // shell_way.cpp
    ShellAnswer go_to_cut(const std::string& order, const std::string& back);
    ShellAnswer go_on_to_cut();
    void make_again(ShellChange change);
    bool is_over_on_the_way();
    ShellAnswer end_of_way();
    std::string held_text() const;      // empty: nobody was held
    std::string doubt_of_held() const;  // why nothing is known of a stop; empty: nobody is held
    void doubt_analysis();              // of the end
    ShellAnswer what_if(const std::string& arguments);
    ShellAnswer set(const std::string& arguments);
    ShellAnswer fault(const std::string& arguments);
    ShellAnswer seed(const std::string& arguments);
    ShellAnswer state(const std::string& arguments);
    ShellAnswer by_messages(const std::string& arguments);  // a command of trollius_commands
    ShellAnswer spread(const std::string& arguments);
    void boot_in_full(const std::vector<vocabulary::NodeId>& boot_order);
    std::string boot_text() const;
    ShellAnswer loadgo(const std::string& arguments);
    ShellAnswer hostmon(const std::string& arguments);
    ShellAnswer monctrl(const std::string& arguments);
    ShellAnswer links(const std::string& arguments);
    ShellAnswer connect(const std::string& arguments);
    ShellAnswer disconnect(const std::string& arguments);
    ShellAnswer reconfigure(const std::string& arguments);
    ShellAnswer kill(const std::string& arguments);
    ShellAnswer why(const std::string& arguments);
    ShellAnswer why_of_task(const std::string& task);
    ShellAnswer story(const std::string& arguments);
    ShellAnswer order(const std::string& arguments);
    tmon_streams::Trace collected() const;  // throws when the scenario is not monitored
    ShellAnswer tvmfilter(const std::string& arguments);
    ShellAnswer detrek(const std::string& arguments);
    ShellAnswer summary(const std::string& arguments);
    ShellAnswer verdict(const std::string& arguments);
    ShellAnswer verdict_so_far() const;
    ShellAnswer run_until_verdict();
    LiveVerdict& live_verdict() const;  // throws when there is no farm, or it is not monitored
    ShellAnswer ranks(const std::string& arguments);
    ShellAnswer save(const std::string& arguments);
    ShellAnswer quit(const std::string& arguments);

    ShellAnswer go(Going going);
    // `waits_for_end`: of a program, for ever.
    ShellAnswer start(std::unique_ptr<trollius_commands::Command> command, bool waits_for_end = false);
    ShellAnswer answer_that_one_computes_on() const;
    // Orders the change and lets time go on until it is done.
    ShellAnswer set_switches(const trollius_hosted::ReconfigurationPlan& plan);
    trollius_commands::Site site() const;
    void load_own_programs();
    void note_command();           // for the line that repeats the run
    std::string end_of_hostmon();  // writes its files
    ShellAnswer change(const std::vector<scenario::Setting>& changes);
    // The parent stays as the snapshot; only forks that go on from it return. Returns the answer to the command that the fork
    // obeys.
    ShellAnswer hold(std::size_t number);
    void become_branch(const std::string& changes);
    std::optional<ShellAnswer> fork_branches(const std::vector<std::string>& texts);
    outcome::Manifest manifest() const;

    scenario::Scenario scenario_;  // the run's, with the changes so far
    const ScenarioOptions& options_;
    node_programs::Report report_;
    node_programs::Programs programs_{report_};  // of one's own; both outlive the machine
    ShellWire& wire_;
    const ShellOptions& shell_;
    std::string line_now_;                // the line being obeyed
    std::unique_ptr<ProgressLine> line_;  // while the run is under way
    const std::uint64_t first_seed_;
    session::LiveSession* live_ = nullptr;  // null: the run has not begun, or has failed
    Stage stage_ = Stage::Session;
    bool stops_at_boot_ = false, by_hand_ = false, leaves_ = false;
    bool stopped_by_hand_ = false;                            // `monctrl -s` was given
    std::unique_ptr<trollius_commands::CommandRun> command_;  // under way
    std::string hostmon_prefix_;                              // of a hostmon started by hand
    SimTime booted_at_;
    std::string notice_;        // comes before the next answer
    bool computes_on_ = false;  // a process was told of that computes for long without a call
    std::size_t printed_ = 0;   // bytes of the console that have been shown
    SimTime last_;              // last known moment of the run
    oracle::SessionResult result_;
    std::string failure_;  // why the run could not finish
    vocabulary::ErrorKind failure_kind_ = vocabulary::ErrorKind::Defect;
    std::optional<tmon_detrek::DetrekResult> analysis_;  // once the run has ended
    const std::unique_ptr<LiveVerdict> streaming_;       // null: no farm, or not monitored
    const std::unique_ptr<Breakpoints> breakpoints_;     // likewise
    tmon_sorted::ArrivalLog arrivals_;                   // what the host received, in its order
    const std::unique_ptr<LeftText> cut_order_, left_breakpoints_, left_places_;
    std::unique_ptr<rank_debugger::RankDebugger> debugger_;  // null: nobody has asked
    std::size_t place_numbers_ = 0;                          // the last number of a breakpoint at a place
    std::optional<std::size_t> last_stopped_;                // the rank
    bool in_event_ = false;                                  // a rank has stopped
    std::optional<Going> going_;
    std::unique_ptr<ToCut> to_cut_;               // on the way there; breakpoints do not stop it
    std::optional<SimTime> held_from_, held_to_;  // by `back cut`, and up to `release`
    std::vector<Snapshot> snapshots_;             // ancestors of this process, the oldest first
    std::vector<Change> changes_;
    std::unique_ptr<forks::Forks> forks_;
    bool branch_ = false;  // this process is a branch of what-if
};

}  // namespace cli
