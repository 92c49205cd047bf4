// From one phase of a scenario to the next.
#include <algorithm>
#include <memory>

#include <trollius_os/services.hpp>
#include <vocabulary/contract.hpp>

#include "link_lines.hpp"
#include "session_run.hpp"

namespace session {

void SessionRun::take_over(const SessionRun& before) {
    before_.emplace(box_, link_lines(box_.machine(), reconfigurer_.orders(), reconfigurer_.done()));
    before_->orders = reconfigurer_.done().size();
    before_->lost = reconfigurer_.lost().size();
    for (const ObservedNode& node : before.observed_.nodes) before_->dropped_by_node.push_back(node.dropped_messages);
    for (std::size_t i = 0; before.before_ && i < before_->dropped_by_node.size(); ++i) {
        const auto& earlier = before.before_->dropped_by_node;
        if (i < earlier.size()) before_->dropped_by_node[i] += earlier[i];
    }
    watch_.set_before(before_->application_bytes);
    times_.began = observed_.began = before.times_.collected;
}

void SessionRun::go_on() {
    run_to_the_end(load());
}

// As a person would with `state` and `doom`: each node is asked for its processes, and those of users get the signal to die.
bool SessionRun::made_room() {
    bool done = false;
    on_host("doom", [&](Api& api) {
        if (hostmon_ != nullptr) api.kdoom(hostmon_->pid(), trollius_os::signal_die);
        std::vector<NodeId> nodes = nodes_;
        if (is_tmon() && !scenario_.farm.has(interrupt_master())) nodes.push_back(interrupt_master());
        for (const NodeId node : nodes) {
            for (const trollius_os::ProcessLine& line : trollius_os::state(api, node)) {
                if (line.priority == 0) trollius_os::doom(api, node, line.pid);
            }
            box_.kernel(node).set_probe(nullptr);  // the monitor that had set it is gone
        }
        done = true;
    });
    SimTime since = box_.now();
    HostSilence host{watch_.host_bytes(FarmWatch::Counted::All), box_.now()};
    run_until("clear", [&] { return done || no_answer(since, host); });
    return done && !cut_;
}

bool SessionRun::network_is_set(const std::vector<topologies::SwitchSetting>& settings) {
    if (settings.empty()) return !cut_;
    const std::size_t number = reconfigurer_.order({.at = now(), .settings = settings});
    run_until("reconfigure", [&] { return !reconfigurer_.pending(); });
    if (cut_ || reconfigurer_.done().size() <= number) return false;
    const trollius_hosted::Reconfigured& done = reconfigurer_.done()[number];
    return done.routed && done.silent == 0 && done.differences.empty();
}

void run_phases(std::vector<Phase>& phases, const std::function<void(std::size_t)>& begins) {
    EXPECTS(!phases.empty(), "session.run_phases.some");
    std::vector<std::unique_ptr<SessionRun>> runs;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        Phase& phase = phases[i];
        SessionTimes between;
        if (i > 0) {
            SessionRun& before = *runs.back();
            if (!before.is_over() || !before.made_room()) break;
            between.cleared = between.switched = between.routed = before.machine().now();
            const std::size_t orders = before.reconfigurer().done().size();
            const bool set = before.network_is_set(phase.scenario.network.settings);
            const auto& done = before.reconfigurer().done();
            phase.reconfigured.assign(done.begin() + static_cast<std::ptrdiff_t>(orders), done.end());
            if (!set) break;
            if (!phase.reconfigured.empty()) {
                between.switched = *phase.reconfigured.front().switched;
                between.routed = *phase.reconfigured.front().routed;
            }
        }
        if (begins) begins(i);
        phase.begun = true;
        runs.push_back(std::make_unique<SessionRun>(phase.scenario, phase.observed, phase.simulated, phase.hooks,
                                                    i == 0 ? nullptr : runs.back().get()));
        i == 0 ? runs.back()->go() : runs.back()->go_on();
        phase.times = runs.back()->times();
        phase.times.cleared = between.cleared;
        phase.times.switched = between.switched;
        phase.times.routed = between.routed;
    }
    runs.front().reset();  // the machine, before all that its processes use
}

}  // namespace session
