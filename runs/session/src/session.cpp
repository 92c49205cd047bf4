#include <session/session.hpp>

#include <algorithm>

#include <session/applications.hpp>
#include <vocabulary/contract.hpp>

#include "parallel_programs.hpp"
#include "program_session.hpp"
#include "session_run.hpp"

namespace session {
namespace {

instrumentation::MonitorCosts monitor_costs(const scenario::Scenario& scenario) {
    const topologies::CostTable& costs = scenario.costs;
    return {.probe = costs.work("monitor.probe"),
            .standard_probe = costs.work("monitor.standard_probe"),
            .meter = costs.work("monitor.meter"),
            .count = costs.work("monitor.count"),
            .policy = costs.work("monitor.policy"),
            .manager_check = costs.work("monitor.manager_check"),
            .manager_period = costs.time("monitor.manager_period"),
            .pack_record = costs.work("monitor.pack_record"),
            .flush_check = costs.work("monitor.flush_check"),
            .make_heartbeat = costs.work("monitor.make_heartbeat"),
            .backend = costs.work("monitor.backend"),
            .usage_sample = costs.work("monitor.usage_sample"),
            .interrupt = costs.work("monitor.raise_interrupt"),
            .record_bytes = static_cast<std::uint32_t>(costs.get("monitor.record", "bytes")),
            .buffer_records = static_cast<std::size_t>(costs.get("monitor.buffer", "records")),
            .program_bytes = static_cast<std::uint32_t>(costs.get("monitor.program_size", "bytes")),
            .probes_off = scenario.monitor->probes_off};
}

}  // namespace

SessionRun::SessionRun(const scenario::Scenario& scenario, Observed& observed, Simulated& simulated, const SessionHooks& hooks,
                       SessionRun* before)
    : scenario_(scenario),
      observed_(observed),
      simulated_(simulated),
      nodes_(scenario.farm.members()),
      hooks_(hooks),
      own_(before == nullptr ? std::make_unique<SessionMachine>(scenario_, hooks) : nullptr),
      machine_(before == nullptr ? *own_ : before->machine_),
      box_(machine_.box),
      reconfigurer_(machine_.reconfigurer) {
    machine_.print = [this](NodeId from, const std::string& text) { printed(from, text); };
    if (before != nullptr) take_over(*before);
    next_moment_ = hooks.first_moment;
    EXPECTS(!hooks.stream || hooks.trace != nullptr, "session.stream.trace");
    observed.streamed = hooks.stream;
    box_.set_moments(this);
    if (!hooks.waves.file.empty()) waveforms_.emplace(box_.machine(), scenario_.machine, hooks.waves.watches, hooks.waves.file);
    if (scenario.farm.nodes > 0 && scenario.farm.is_farm())
        application_ = make_application(scenario_, simulated.program, before != nullptr ? modules_.make() : "", hooks.flowback,
                                        &log_inbox_);
    serve_program(box_, scenario_, observed);
    box_.host_services().files = hooks.files;
    make_monitor();
    std::vector<trek_kernel::Witness*> witnesses{&window_};
    witnesses.insert(witnesses.end(), hooks.witnesses.begin(), hooks.witnesses.end());
    make_faults(witnesses);
    make_program(std::move(witnesses));
    if (before != nullptr) return;  // the kernels have their witnesses
    for (trollius_os::Witness* witness : hooks.kernel_witnesses) {
        for (std::size_t i = 0; i <= box_.node_count(); ++i)
            box_.kernel(NodeId(static_cast<NodeId::value_type>(i))).add_witness(*witness);
    }
}

SessionRun::~SessionRun() {
    if (farm_ && farm_->job() != nullptr) farm_->job()->let_go();
}

void SessionRun::make_program(std::vector<trek_kernel::Witness*> witnesses) {
    std::vector<trek_kernel::ProbePoint*> probes;
    if (probe_) probes.push_back(probe_.get());
    if (application_)
        farm_ = make_farm(box_, scenario_, *application_, std::move(witnesses), std::move(probes));
    else if (scenario_.halo)
        farm_ = make_halo(box_, scenario_, std::move(witnesses), std::move(probes));
    else if (scenario_.mpi)
        farm_ = make_mpi(box_, scenario_, std::move(witnesses), hooks_.flowback, log_inbox_);
    if (!farm_) return;
    if (HostedJob* job = farm_->job()) watch_.set_steps([job] { return job->steps(); });
    for (auto& [name, program] : farm_->programs()) box_.programs()[name] = std::move(program);
}

void SessionRun::printed(NodeId from, const std::string& text) {
    observed_.console += text;
    if (from.value() == 0) report_.printed(text);
}

void SessionRun::go() {
    const bool booted = boot() && !cut_;
    silent_ = nodes_;  // until a command by hand has begun their monitors
    const bool by_hand = booted && hooks_.booted && hooks_.booted(*this);
    if (!by_hand) silent_.clear();
    run_to_the_end(by_hand || (booted && load()));
}

void SessionRun::run_to_the_end(bool began) {
    if (began) run_farm();
    times_.farm_over = box_.now();
    if (monitored()) quit_monitor();
    // A node has ended and never reported that it had begun, or was stopped: its processes were held, or it has recorded
    // nothing.
    const bool half_begun = monitored() && std::any_of(silent_.begin(), silent_.end(), [this](NodeId node) {
                                return node.value() < sink_->has_ended.size() && sink_->has_ended[node.value()];
                            });
    if (half_begun && observed_.end == tmon_streams::SessionEnd::StoodStill) observed_.end = tmon_streams::SessionEnd::Cut;
    // Messages that waited behind the trace may go on now that no more of it is made.
    if (!began && is_tmon() && box_.booted() && !cut_ && loads_on()) run_farm();
    while (goes_on()) run_farm();
    ask_state();
    while (goes_on()) {
        run_farm();
        ask_state();
    }
    if (began) await_logs();
    times_.collected = box_.now();
    if (hooks_.at_end) hooks_.at_end(*this);
    gather();
    if (waveforms_) waveforms_->finish();
}

void SessionRun::make_faults(std::vector<trek_kernel::Witness*>& witnesses) {
    if (scenario_.faults || hooks_.faults_may_come) witnesses.push_back(&trigger_);
    if (scenario_.faults) faults_added();
}

void SessionRun::faults_added() {
    if (injector_) return injector_->arm_added();
    injector_ = std::make_unique<hw_model::FaultInjector>(*scenario_.faults, box_.machine());
    trigger_.set_injector(injector_.get());
    injector_->arm(scenario_.limit);
}

void SessionRun::monitor_changed() {
    const instrumentation::MonitorCosts costs = monitor_costs(scenario_);
    for (std::size_t i = 0; i < monitors_.size(); ++i)
        monitors_[i]->change(costs, *scenario_.monitor, box_.kernel(NodeId(static_cast<NodeId::value_type>(i))));
    if (interrupt_master_) interrupt_master_->set_costs(costs);
}

void SessionRun::go_by(const scenario::Scenario& changed, Changed what) {
    switch (what) {
        case Changed::Monitor:
            scenario_.monitor = changed.monitor;
            scenario_.costs = changed.costs;
            return monitor_changed();
        case Changed::Faults:
            scenario_.faults = changed.faults;
            scenario_.inputs = changed.inputs;
            return faults_added();
        case Changed::Seed:
            scenario_.seed = changed.seed;
            return seed_changed();
        case Changed::End:
            scenario_.quiet = changed.quiet;
            scenario_.patience = changed.patience;
            scenario_.limit = changed.limit;
            return;
    }
}

void SessionRun::seed_changed() {
    box_.machine().redraw_clock_drifts(scenario_.costs, scenario_.seed);
    if (application_) application_->set_seed(scenario_.seed);
}

std::vector<tmon_streams::NodeStatistics> SessionRun::received() const {
    return sink_ ? sink_->collector.statistics() : std::vector<tmon_streams::NodeStatistics>();
}

tmon_streams::Trace SessionRun::collected() const {
    return sink_ ? sink_->collector.finish(tmon_streams::SessionEnd::Cut) : tmon_streams::Trace();
}

void SessionRun::reached() {
    moment_ = std::max(box_.now(), next_moment_);
    next_moment_ = hooks_.at_moment ? hooks_.at_moment(*this) : SimTime::never();
    EXPECTS(next_moment_ > moment_, "session.next_moment");
}

void SessionRun::make_monitor() {
    if (!monitored()) return;
    if (scenario_.monitor->probe) box_.give_stacks_to_all();
    const instrumentation::MonitorCosts costs = monitor_costs(scenario_);
    sink_ = std::make_unique<CollectorSink>(
        static_cast<std::uint16_t>(scenario_.farm.nodes), [this] { return box_.now(); }, hooks_.trace, hooks_.stream,
        hooks_.feed);
    watch_.set_trace(&sink_->delay);
    std::vector<instrumentation::NodeMonitor*> all;
    for (std::uint32_t i = 0; i < scenario_.farm.nodes; ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (!scenario_.farm.has(node)) sink_->absent(node.value());
        monitors_.push_back(std::make_unique<instrumentation::NodeMonitor>(costs, *scenario_.monitor, node, box_.host_id()));
        all.push_back(monitors_.back().get());
    }
    probe_ = std::make_unique<instrumentation::TrekProbe>(all);
    box_.programs()["nodemon"] = {costs.program_bytes, box_.host().costs().service_stack,
                                  [this](Calls& calls, const trollius_os::Arguments&) {
                                      if (calls.node().value() < monitors_.size())
                                          return monitors_[calls.node().value()]->nodemon(calls);
                                      calls.kernel().drop("nodemon", "a monitor for a node that is not of the farm");
                                      return coroutines::Task<>();
                                  }};
    if (is_tmon()) make_interrupt_master(costs);
}

void SessionRun::make_interrupt_master(const instrumentation::MonitorCosts& costs) {
    const NodeId master = interrupt_master();
    instrumentation::NodeMonitor* own = scenario_.farm.has(master) ? monitors_[master.value()].get() : nullptr;
    interrupt_master_ = std::make_unique<instrumentation::InterruptMaster>(costs, *scenario_.monitor, own);
    box_.programs()["monmaster"] = {
        costs.program_bytes, box_.host().costs().service_stack, [this](Calls& calls, const trollius_os::Arguments&) {
            if (calls.node() == interrupt_master()) return interrupt_master_->monmaster(calls);
            calls.kernel().drop("monmaster", "a master of the interrupts on a node without the line");
            return coroutines::Task<>();
        }};
}

bool SessionRun::tell(const char* phase) {
    cut_ = cut_ || (sink_ && sink_->failure);
    if (!hooks_.progress || cut_) return !cut_;
    const FarmCounts& farm = window_.counts();
    cut_ =
        !hooks_.progress({box_.now(), phase, farm.results, scenario_.farm.tasks, farm.moved, sink_ ? sink_->records_lost : 0});
    return !cut_;
}

void SessionRun::run_until(const char* phase, const std::function<bool()>& done) {
    phase_ = phase;
    box_.run(scenario_.limit, watch_.period(), [&] { return !tell(phase) || done(); });
    if (sink_ && sink_->failure) std::rethrow_exception(sink_->failure);
}

void run_session(const scenario::Scenario& scenario, Observed& observed, Simulated& simulated, const SessionHooks& hooks) {
    SessionRun run(scenario, observed, simulated, hooks);
    if (hooks.prepare) hooks.prepare(run.machine());
    run.go();
    if (hooks.gathered) hooks.gathered(run);
}

}  // namespace session
