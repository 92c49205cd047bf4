// The farm's run as a person beside the machine sees it: when it is over, and the questions to the nodes afterwards.
#include <algorithm>

#include <trollius_os/services.hpp>

#include "session_run.hpp"

namespace session {
namespace {

constexpr SimTime answer_time = SimTime::ms(200);  // after so long a silence no answer is expected from a node
constexpr std::size_t asked_at_once = 32;          // nodes: each takes a process of the host

}  // namespace

bool SessionRun::no_answer(SimTime& since, HostSilence& host) {
    if (watch_.something_moves()) since = box_.now();
    if (const std::uint64_t now = watch_.host_bytes(FarmWatch::Counted::All); now != host.bytes) host = {now, box_.now()};
    return box_.now() - since > answer_time || box_.now() - host.since > load_silence;
}

// A node sends its end mark when the farm's end reaches it, and otherwise only at quit. So with one end mark the title of a
// report is enough, since the report may have come damaged. Without any, even a whole report was printed by the program itself.
bool SessionRun::has_ended() const {
    if (const HostedJob* job = farm_->job()) return job->over();
    return monitored() && !quit_ ? report_.begun() && sink_->ended > 0 : report_.complete();
}

void SessionRun::give_up(tmon_streams::SessionEnd how) {
    if (observed_.end == tmon_streams::SessionEnd::Unknown) {
        if (has_ended()) {
            how = tmon_streams::SessionEnd::ProgramEnded;
        } else if (report_.complete()) {
            report_.was_none();
        }
        observed_.end = how;
    }
    moved_until_given_up_ = watch_.progress();
}

bool SessionRun::goes_on() {
    if (cut_ || observed_.end != tmon_streams::SessionEnd::StoodStill) return false;
    return watch_.progress() != moved_until_given_up_ || report_.complete();
}

void SessionRun::run_farm() {
    observed_.end = tmon_streams::SessionEnd::Unknown;
    watch_.begin();
    const SimTime began = box_.now();
    HostedJob* const job = farm_->job();
    run_until("run", [&] {
        if (!farm_->failure().empty()) fail(farm_->failure());
        window_.look();
        watch_.look(reconfigurer_.pending());
        // Nothing on the nodes tells their monitors of the end, so nobody waits for their end marks yet.
        const bool over = job != nullptr ? job->over() : report_.complete() && (!monitored() || sink_->ended == nodes_.size());
        if (over) {
            observed_.end = tmon_streams::SessionEnd::ProgramEnded;
            return true;
        }
        if (job == nullptr ? watch_.stands_still() : watch_.makes_no_steps() && job->all_wait()) {
            give_up(tmon_streams::SessionEnd::StoodStill);
        } else if ((job == nullptr && watch_.out_of_patience()) ||
                   (ends_soon_ && box_.now() - began > scenario_.quiet + scenario_.quiet)) {
            give_up(tmon_streams::SessionEnd::Cut);
        } else {
            return false;
        }
        return true;
    });
    // Nothing is left that could happen, or the limit of modelled time or the user has cut it.
    give_up(box_.machine().timeline().empty() && !cut_ ? tmon_streams::SessionEnd::StoodStill : tmon_streams::SessionEnd::Cut);
}

void SessionRun::quit_monitor() {
    quit_ = true;
    if (is_tmon())
        on_host("monctrl",
                [this](Api& api) { instrumentation::monctrl_master(api, instrumentation::Control::Quit, interrupt_master()); });
    if (sink_->ended == nodes_.size()) return;
    on_host("monctrl", [this](Api& api) { instrumentation::monctrl(api, instrumentation::Control::Quit, nodes_); });
    std::uint64_t last = sink_->received + sink_->ended;
    SimTime since = box_.now();
    const SimTime began = since;  // nodes that go on making records, as of heartbeats, might never come to their end
    HostSilence host{watch_.host_bytes(FarmWatch::Counted::All), box_.now()};
    run_until("quit", [&] {
        if (const std::uint64_t now = sink_->received + sink_->ended; now != last) {
            last = now;
            since = box_.now();
        }
        return sink_->ended == nodes_.size() || no_answer(since, host) || box_.now() - began > scenario_.patience;
    });
}

void SessionRun::await_logs() {
    if (!logs_to_host()) return;
    SimTime since = box_.now();
    HostSilence host{watch_.host_bytes(FarmWatch::Counted::All), box_.now()};
    run_until("logs", [&] { return log_inbox_.in_flight() == 0 || no_answer(since, host); });
}

void SessionRun::ask_state() {
    observed_.nodes.resize(scenario_.farm.nodes);
    for (std::size_t first = 0; first < nodes_.size();) {
        const std::uint64_t fired = box_.machine().timeline().fired();
        first += ask_state_of(std::span(nodes_).subspan(first, std::min(asked_at_once, nodes_.size() - first)));
        // The run was cut, or is at its limit. Time does not go on, no node can answer, and the host has no room for all of the
        // processes.
        if (box_.machine().timeline().fired() == fired) return;
    }
}

// As many of these nodes as the host has room for, from the first on. Returns their number.
std::size_t SessionRun::ask_state_of(std::span<const NodeId> some) {
    std::size_t answered = 0;
    std::vector<std::pair<NodeId, trollius_os::Process*>> asked;
    for (const NodeId node : some) {
        const auto ask = [this, node, &answered](Api& api) {
            std::uint32_t dropped = 0;
            trollius_os::state(api, node, &dropped);
            if (before_ && node.value() < before_->dropped_by_node.size()) dropped -= before_->dropped_by_node[node.value()];
            observed_.nodes[node.value()].answers = true;
            observed_.nodes[node.value()].dropped_messages = dropped;
            ++answered;
        };
        trollius_os::Process* process = asked.empty() ? on_host("state", ask) : on_host_if_room("state", ask);
        if (process == nullptr) break;
        asked.emplace_back(node, process);
    }
    SimTime since = box_.now();
    HostSilence host{watch_.host_bytes(FarmWatch::Counted::All), box_.now()};
    run_until("state", [&] { return answered == asked.size() || no_answer(since, host); });
    for (const auto& [node, process] : asked) {
        if (!observed_.nodes[node.value()].answers) box_.host().doom(*process);
    }
    return asked.size();
}

}  // namespace session
