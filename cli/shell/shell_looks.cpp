#include "shell/shell_looks.hpp"
#include "shell/shell_line.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trollius_commands/state_lines.hpp>

#include "shell/shell_machine.hpp"

namespace cli {

using session::LiveSession;
using vocabulary::NodeId;

namespace {

std::string threads_text(const trollius_os::Kernel& kernel, const trollius_os::Process& process, const std::string& node) {
    std::string text;
    for (const auto& thread : kernel.threads()) {
        if (thread->owner() != &process || thread->state() == trollius_os::ProcessState::Ended) continue;
        text += trollius_commands::state_line(node, std::nullopt, thread->pid(), thread->status(), "  " + thread->name());
    }
    return text;
}

std::string processes_text(LiveSession& session, NodeId node, const std::string& name, const StateLook& look) {
    std::string text;
    std::uint32_t index = 0;
    const auto& kernel = session.machine().kernel(node);
    for (const auto& process : kernel.processes()) {
        ++index;
        if (process->state() == trollius_os::ProcessState::Ended) continue;
        if (!look.all && look.system != (process->kernel_priority() != 0)) continue;
        text += trollius_commands::state_line(name, index, process->pid(), kernel.status(*process), process->name());
        if (look.all) text += threads_text(kernel, *process, name);
    }
    return text;
}

}  // namespace

LiveStatus live_status(LiveSession& session) {
    LiveStatus status{.now = session.now(),
                      .phase = session.phase(),
                      .results = session.counts().results,
                      .tasks = session.scenario().farm.tasks,
                      .monitored = !session.monitors().empty(),
                      .mpi = session.scenario().mpi.has_value()};
    for (const NodeId node : session.scenario().farm.members()) {
        ++status.nodes;
        if (session.machine().machine().node(node).processor.stopped()) status.stopped.push_back(node);
    }
    for (const auto& monitor : session.monitors()) status.made += monitor->recorded();
    for (const tmon_streams::NodeStatistics& line : session.received()) {
        status.received += line.events;
        for (const trace_record::LossRange& range : line.losses)
            status.lost += range.last_seq - range.first_seq + std::uint64_t{1};
    }
    return status;
}

std::string status_text(const LiveStatus& status) {
    std::string stopped;
    for (const NodeId node : status.stopped) stopped += fmt::format("{}n{}", stopped.empty() ? "" : ", ", node.value());
    std::string text =
        fmt::format("  time      {}\n  phase     {}\n  {} {} of {} {}\n  nodes     {} {}, {}\n", time_word(status.now),
                    status.phase, status.mpi ? "ranks    " : "tasks    ", status.results, status.tasks,
                    status.mpi ? "have ended" : "results came back to the manager", status.nodes,
                    status.mpi ? "with ranks" : "of the farm", stopped.empty() ? "none stopped" : "stopped: " + stopped);
    if (!status.monitored) return text + "  records   not monitored\n";
    return text + fmt::format("  records   {} made, {} received by the host, {} known to be lost\n", status.made,
                              status.received, status.lost);
}

std::string status_json(const LiveStatus& status) {
    nlohmann::ordered_json json = {{"time_ps", status.now.in_ps()},
                                   {"phase", status.phase},
                                   {"results", status.results},
                                   {"tasks", status.tasks},
                                   {"nodes", status.nodes},
                                   {"stopped", nlohmann::ordered_json::array()},
                                   {"records", nullptr}};
    for (const NodeId node : status.stopped) json["stopped"].push_back(node.value());
    if (status.monitored) json["records"] = {{"made", status.made}, {"received", status.received}, {"lost", status.lost}};
    return json.dump();
}

std::string state_text(LiveSession& session, const StateLook& look) {
    std::string text = trollius_commands::state_head();
    for (const NodeId node : look.nodes) {
        const std::string name = node == session.machine().host_id() ? "h" : fmt::format("n{}", node.value());
        if (session.machine().machine().node(node).processor.stopped()) {
            text += fmt::format("{:<6} has stopped\n", name);
        } else if (!session.machine().booted(node)) {
            text += fmt::format("{:<6} has not booted\n", name);
        } else {
            text += processes_text(session, node, name, look);
        }
    }
    return text;
}

std::string received_text(LiveSession& session) {
    if (session.monitors().empty()) return "the scenario is not monitored\n";
    std::string text = fmt::format("{:<6} {:>9} {:>13} {:>9}\n", "NODE", "EVENTS", "LAST AT us", "LOST");
    const auto lines = session.received();
    for (const NodeId node : session.scenario().farm.members()) {
        const tmon_streams::NodeStatistics& line = lines.at(node.value());
        std::uint64_t lost = 0;
        for (const trace_record::LossRange& range : line.losses) lost += range.last_seq - range.first_seq + std::uint64_t{1};
        text += fmt::format("n{:<5} {:>9} {:>13} {:>9}\n", node.value(), line.events, line.last_time_us, lost);
    }
    return text;
}

bool all_monitors_on(LiveSession& session) {
    const auto members = session.scenario().farm.members();
    return std::all_of(members.begin(), members.end(), [&](NodeId node) {
        return session.monitors()[node.value()]->on() || session.monitors()[node.value()]->ended();
    });
}

}  // namespace cli
