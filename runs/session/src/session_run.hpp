// SessionRun: one run of a scenario from power-up to the last record, or one phase of several; run_session() and run_phases()
// make them. Files of its phases:
// session.cpp (construction), session_load.cpp (boot, load), session_farm.cpp (run, quit, state), session_gather.cpp.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <flowback_unload/log_unloading.hpp>
#include <hw_model/fault_injector.hpp>
#include <hw_model/waveforms.hpp>
#include <instrumentation/hostmon.hpp>
#include <instrumentation/interrupt_master.hpp>
#include <instrumentation/monctrl.hpp>
#include <instrumentation/node_monitor.hpp>
#include <instrumentation/trek_probe.hpp>
#include <session/live_session.hpp>
#include <session/parallel_program.hpp>
#include <session/phases.hpp>
#include <session/session.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_hosted/reconfigurer.hpp>

#include "baseline.hpp"
#include "collector_sink.hpp"
#include "farm_watch.hpp"
#include "farm_window.hpp"
#include "fault_session.hpp"
#include "final_report.hpp"
#include "module_folder.hpp"
#include "session_machine.hpp"

namespace session {

using trollius_os::Api;
using trollius_os::Calls;
using vocabulary::NodeId;
using vocabulary::SimTime;

class SessionRun final : public LiveSession, private trollius_hosted::Multicomputer::Moments {
public:
    // `before`: the phase before, which has made_room() and whose machine this one takes over. It goes after that machine, so
    // after `before`.
    SessionRun(const scenario::Scenario& scenario, Observed& observed, Simulated& simulated, const SessionHooks& hooks,
               SessionRun* before = nullptr);
    ~SessionRun();
    SessionRun(const SessionRun&) = delete;
    SessionRun& operator=(const SessionRun&) = delete;
    void go();

    // Phases (session_phases.cpp)
    void go_on();  // instead of go(), without booting
    bool is_over() const { return !cut_ && observed_.end == tmon_streams::SessionEnd::ProgramEnded; }
    // Ends the programs of the nodes and the host's hostmon. False: cut, or a node does not answer.
    bool made_room();
    // The host sets the switches and sends the tables. False: cut, or a node does not answer.
    bool network_is_set(const std::vector<topologies::SwitchSetting>& settings);
    const SessionTimes& times() const { return times_; }

    // LiveSession
    SimTime now() override { return std::max(box_.now(), moment_); }
    const char* phase() const override { return phase_; }
    const scenario::Scenario& scenario() const override { return scenario_; }
    trollius_hosted::Multicomputer& machine() override { return box_; }
    const FarmCounts& counts() const override { return window_.counts(); }
    const ParallelProgram& farm() const override { return *farm_; }
    std::span<const std::unique_ptr<instrumentation::NodeMonitor>> monitors() const override { return monitors_; }
    std::vector<tmon_streams::NodeStatistics> received() const override;
    tmon_streams::Trace collected() const override;
    void start_hostmon() override;
    void monitor_was_switched(NodeId node, bool on) override {
        std::erase(silent_, node);
        if (!on) silent_.push_back(node);
    }
    const trollius_hosted::Reconfigurer& reconfigurer() const override { return reconfigurer_; }
    std::size_t reconfigure(const std::vector<topologies::SwitchSetting>& settings) override;
    void place_farm() override;
    void end_soon() override { ends_soon_ = true; }
    void stop_soon() override {
        next_moment_ = std::min(next_moment_, box_.now());
        box_.stop_soon();
    }
    void go_by(const scenario::Scenario& changed, Changed what) override;

    // Moments of the hooks
    SimTime next() const override { return next_moment_; }
    void reached() override;

private:
    void monitor_changed();
    void faults_added();
    void seed_changed();
    void make_faults(std::vector<trek_kernel::Witness*>& witnesses);
    bool monitored() const { return scenario_.monitor.has_value(); }
    bool is_tmon() const { return monitored() && scenario_.monitor->kind == instrumentation::MonitorKind::Tmon; }
    bool logs_to_host() const {
        return !hooks_.flowback.folder.empty() && hooks_.flowback.store == user_programs::LogStore::Host;
    }
    NodeId interrupt_master() const { return *scenario_.machine.interrupt_master; }
    void make_monitor();
    void make_program(std::vector<trek_kernel::Witness*> witnesses);
    void printed(NodeId from, const std::string& text);
    void make_interrupt_master(const instrumentation::MonitorCosts& costs);
    // False: the user wants to stop.
    bool tell(const char* phase);
    // Advances until `done` returns true, at most to the scenario's limit.
    void run_until(const char* phase, const std::function<bool()>& done);
    trollius_os::Process* on_host(const char* name, std::function<void(Api&)> code);
    trollius_os::Process* on_host_if_room(const char* name, std::function<void(Api&)> code);  // nullptr: no room
    // Throws; the message names a fault plan that left too little memory.
    [[noreturn]] void fail(std::string why) const;
    // False when a fault prevented it.
    bool boot();
    void tell_where_booting_stands();
    // Loads in the order of the thesis' session: nodemon everywhere, hostmon, slaves from the leaves up, master, then monctrl
    // -b. Tmon does not suspend a farm that is not monitored yet, so it begins before slaves and master. False when a node
    // died on the way: an early modelled fault is a result like any other.
    bool load();
    void run_to_the_end(bool began);
    void take_over(const SessionRun& before);
    SimTime wait_for_programs();
    bool has_begun() const;
    bool has_ended() const;
    bool loads_on();  // resumes abandoned loading to its end
    void load_monitor(Api& api);
    void load_program(Api& api, NodeId node, const char* program);
    void begin_monitor(Api& api);
    void load_job(Api& api, HostedJob& job);
    bool is_loaded();
    // Call after a silence too long for any answer. A node or a link on the way is dead, or a message of the conversation was
    // lost or damaged; messages are never repeated.
    void tell_where_loading_stands(SimTime moved_last);
    // Reason why the programs cannot run on this machine; empty when they can.
    std::string cannot_run() const;
    // Silence at the host's links alone. Elsewhere messages may circulate for ever if a reconfiguration made a ring of nodes
    // that the new routes do not reach.
    struct HostSilence {
        std::uint64_t bytes = 0;
        SimTime since;
    };
    // True when nothing has moved anywhere for the time of an answer. Also true when messages circulate and the host has been
    // silent for longer.
    bool no_answer(SimTime& since, HostSilence& host);
    // Runs until the program has ended or the farm stands still, as a FarmWatch sees it.
    void run_farm();
    void give_up(tmon_streams::SessionEnd how);
    // True when the farm, judged as standing still, has moved since.
    bool goes_on();
    void quit_monitor();
    void await_logs();  // blocks of logs for flowback that are on their way to the host
    // `state` blocks on a dead node. So each node gets a query process of its own, and a node without a timely answer counts
    // as silent.
    void ask_state();
    std::size_t ask_state_of(std::span<const NodeId> some);
    void gather();
    void gather_job(HostedJob& job);
    void gather_streamed();
    void gather_node(NodeId id);
    void gather_cuts();

    scenario::Scenario scenario_;  // with the changes made in mid-run
    Observed& observed_;
    Simulated& simulated_;
    const std::vector<NodeId> nodes_;  // of the farm
    const SessionHooks& hooks_;
    ModuleFolder modules_;  // of a later phase
    flowback_unload::LogInbox log_inbox_;
    // Processes use it while their stacks are unwound, so it outlives the machine.
    std::unique_ptr<trek_kernel::Application> application_;
    std::vector<std::unique_ptr<instrumentation::NodeMonitor>> monitors_;
    std::unique_ptr<instrumentation::InterruptMaster> interrupt_master_;  // of Tmon
    std::unique_ptr<instrumentation::TrekProbe> probe_;
    std::unique_ptr<CollectorSink> sink_;
    std::unique_ptr<ParallelProgram> farm_;
    FaultTrigger trigger_;
    bool loaded_ = false;
    std::string load_failure_;    // why loading failed
    std::string waits_for_;       // the program being loaded
    std::vector<NodeId> silent_;  // told to begin, without an answer yet, or stopped
    bool cut_ = false;
    bool ends_soon_ = false;  // LiveSession::end_soon()
    bool quit_ = false;       // the monitor was told to quit: from then on end marks say nothing about the program
    const char* phase_ = "boot";
    FinalReport report_{scenario_.farm.nodes, nodes_.size(), scenario_.farm.tasks,
                        scenario_.farm.degree == 1 && !scenario_.farm.survives,
                        scenario_.farm.is_farm() ? FinalReport::Of::Farm : FinalReport::Of::Halo};
    SimTime moment_;  // last moment reached; the machine's own time is that of its last event
    SimTime next_moment_;
    SessionTimes times_;
    std::optional<Baseline> before_;  // what links and nodes had done in the phases before
    trollius_os::Process* hostmon_ = nullptr;
    const std::unique_ptr<SessionMachine> own_;  // none: that of the phase before
    SessionMachine& machine_;
    trollius_hosted::Multicomputer& box_;
    FarmWindow window_{box_.machine(), scenario_.farm};
    FarmWatch watch_{scenario_, box_, nodes_};
    std::uint64_t moved_until_given_up_ = 0;  // bytes
    std::unique_ptr<hw_model::FaultInjector> injector_;
    std::optional<hw_model::Waveforms> waveforms_;
    trollius_hosted::Reconfigurer& reconfigurer_;
};

}  // namespace session
