// The data kept of a run when it is over.
#include <algorithm>

#include <instrumentation/accounts.hpp>
#include <tmon_streams/trace_summary.hpp>

#include "link_lines.hpp"
#include "session_run.hpp"
#include "tree_routes.hpp"

namespace session {

void SessionRun::gather_job(HostedJob& job) {
    using tmon_streams::SessionEnd;
    const bool still = observed_.end == SessionEnd::StoodStill, never = observed_.end == SessionEnd::NeverBegan;
    job.note_end(never   ? mpi_runs::End::NeverBegan
                 : still ? mpi_runs::End::Standstill
                 : cut_  ? mpi_runs::End::Stopped
                         : mpi_runs::End::Limit);
    simulated_.mpi = MpiOutcome{job.ended(), job.diagnoses()};
}

void SessionRun::gather() {
    if (HostedJob* job = farm_->job()) gather_job(*job);
    simulated_.farm = farm_->result();
    simulated_.tasks = farm_->account();
    if (!simulated_.farm.finished) {
        simulated_.standing = farm_->standing();
        simulated_.plugged = reconfigurer_.plugged();
    }
    observed_.modelled = box_.now();
    simulated_.counts = window_.counts();
    simulated_.farm_counted = window_.end();
    simulated_.events_fired = box_.machine().timeline().fired() - (before_ ? before_->events_fired : 0);
    simulated_.nodes.resize(scenario_.farm.nodes);
    for (const NodeId node : nodes_) gather_node(node);
    simulated_.links = link_lines(box_.machine(), reconfigurer_.orders(), reconfigurer_.done());
    if (before_) before_->take_from(simulated_.links, box_);
    if (injector_) gather_faults(scenario_, box_.machine(), *injector_, simulated_.faults);
    const std::size_t orders = before_ ? before_->orders : 0, lost = before_ ? before_->lost : 0;
    simulated_.switches.done.assign(reconfigurer_.done().begin() + static_cast<std::ptrdiff_t>(orders),
                                    reconfigurer_.done().end());
    simulated_.switches.lost_transfers.assign(reconfigurer_.lost().begin() + static_cast<std::ptrdiff_t>(lost),
                                              reconfigurer_.lost().end());
    if (!simulated_.switches.done.empty()) simulated_.switches.plugged = reconfigurer_.plugged();
    gather_cuts();
    simulated_.unreceived = trollius_hosted::unreceived_messages(box_);
    if (!monitored()) return;
    if (observed_.streamed) {
        gather_streamed();
    } else {
        observed_.trace = sink_->collector.finish(observed_.end);
        observed_.statistics = sink_->collector.statistics();
    }
    observed_.trace->marks_take_other_ways =
        !scenario_.reconfigurations.empty() || !routes_follow_tree(box_.network(), farm_->places(), nodes_);
    // Counts of the nodes that can still answer; those of a dead node are not known.
    observed_.trace->dropped_messages = box_.host().dropped_damaged() - (before_ ? before_->dropped_by_host : 0);
    for (const NodeId node : nodes_) {
        observed_.trace->dropped_messages +=
            std::max(observed_.nodes[node.value()].dropped_messages, sink_->dropped_by_node[node.value()]);
    }
    observed_.trace->reported_results = report_.results();
    observed_.unwritten_records = sink_->unwritten;
}

void SessionRun::gather_streamed() {
    hooks_.trace->flush();
    const tmon_streams::TraceSummary summary = tmon_streams::summarise(hooks_.trace->growing_path());
    observed_.trace.emplace().session = observed_.end;
    for (const tmon_streams::NodeSummary& node : summary.nodes) {
        observed_.trace->streams.push_back({.node = node.node, .state = node.state, .losses = {}, .parts = {}});
        observed_.statistics.push_back(
            {.node = node.node, .events = node.records, .last_time_us = node.last_us, .losses = {}, .state = node.state});
    }
    for (const trace_record::LossRange& loss : summary.losses) {
        observed_.trace->streams[loss.node].losses.push_back(loss);
        observed_.statistics[loss.node].losses.push_back(loss);
    }
}

void SessionRun::gather_node(NodeId id) {
    const hw_model::Node& node = box_.machine().node(id);
    observed_.nodes[id.value()].member = true;
    NodeLine& line = simulated_.nodes[id.value()];
    hw_model::ProcessorTotals totals = node.processor.totals();
    line.kernel_monitor_time = box_.kernel(id).rendezvous_time(instrumentation::accounts::trace_message);
    if (before_) before_->take_from(totals, line.kernel_monitor_time, id);
    window_.tell(id, line);
    line.results = farm_->result_queue(id);
    line.high_busy = totals.high_busy;
    line.low_busy = totals.low_busy;
    line.preemptions = totals.preemptions;
    line.timeslices = totals.timeslices;
    line.memory_high_water = node.arena.high_water_bytes();
    line.memory_size = node.arena.ram_bytes();
    line.crashed = node.processor.crashed();
    if (!monitored()) return;
    line.ledger = monitors_[id.value()]->ledger(box_.kernel(id));
    if (const SimTime began = line.ledger.began; began != SimTime())
        line.clock = {node.processor.clock_offset_us(), node.processor.clock_drift_ppm(),
                      node.processor.clock_us_at(began, hw_model::Priority::High)};
    line.recorded = monitors_[id.value()]->recorded();
}

void SessionRun::gather_cuts() {
    const auto& setup = farm_->places();
    for (const NodeId node : nodes_) {
        const auto& parent = setup[node.value()].parent;
        if (!parent || parent->over_network) continue;
        const auto& neighbour = box_.network().neighbour(node, parent->link);
        const auto& children = setup[parent->node.value()].children;
        const bool joined = neighbour && std::any_of(children.begin(), children.end(), [&](const trek_kernel::Branch& child) {
                                return child.node == node && neighbour->node == parent->node && neighbour->link == child.link;
                            });
        if (!joined) simulated_.switches.cuts.emplace_back(node, parent->node);
    }
}

}  // namespace session
