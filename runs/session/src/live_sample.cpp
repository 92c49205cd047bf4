#include <session/live_sample.hpp>

#include <instrumentation/accounts.hpp>

namespace session {
namespace {

using instrumentation::accounts::trace_message;
using vocabulary::LinkNo;
using vocabulary::NodeId;

LiveNode node_of(LiveSession& session, NodeId id) {
    const hw_model::Processor& processor = session.machine().machine().node(id).processor;
    const hw_model::ProcessorTotals totals = processor.totals();
    LiveNode node{.node = id, .busy = totals.high_busy + totals.low_busy, .overhead = {}, .stopped = processor.stopped()};
    if (session.monitors().empty()) return node;
    const instrumentation::NodeMonitor& monitor = *session.monitors()[id.value()];
    const instrumentation::OverheadLedger ledger = monitor.ledger(session.machine().kernel(id));
    node.overhead = ledger.probe + ledger.meter + ledger.manager + ledger.policy + ledger.backend +
                    session.machine().kernel(id).rendezvous_time(trace_message);
    node.recorded = monitor.recorded();
    node.lost = ledger.dropped;
    node.buffered = monitor.state().buffers.count();
    node.room = monitor.state().buffers.room();
    return node;
}

LiveLink link_of(NodeId node, LinkNo number, const hw_model::LinkEnd& end, const topologies::Network& network) {
    const hw_model::LinkTotals totals = end.totals();
    const hw_model::LinkTotals::Sums all = totals.all();
    return {.node = node,
            .link = number,
            .to = network.neighbour(node, number),
            .busy = all.busy,
            .monitor_busy = totals.of[trace_message].busy,
            .bytes = all.bytes,
            .monitor_bytes = totals.of[trace_message].bytes,
            .lost = totals.lost};
}

}  // namespace

LiveSample live_sample(LiveSession& session) {
    const scenario::Scenario& scenario = session.scenario();
    LiveSample sample{.time = session.machine().now(),
                      .phase = session.phase(),
                      .tasks_done = session.counts().results,
                      .tasks = scenario.farm.tasks,
                      .moved = session.counts().moved,
                      .nodes = {},
                      .links = {}};
    for (const NodeId node : scenario.farm.members()) sample.nodes.push_back(node_of(session, node));
    hw_model::Machine& machine = session.machine().machine();
    for (std::size_t i = 0; i <= machine.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
            const hw_model::LinkEnd* end = machine.node(node).link(LinkNo(number));
            if (end != nullptr) sample.links.push_back(link_of(node, LinkNo(number), *end, session.machine().network()));
        }
    }
    return sample;
}

LiveSample at_power_up(const LiveSample& sample) {
    LiveSample start{.time = {}, .phase = "boot", .tasks = sample.tasks, .nodes = {}, .links = {}};
    for (const LiveNode& node : sample.nodes) start.nodes.push_back({.node = node.node, .busy = {}, .overhead = {}});
    for (const LiveLink& link : sample.links)
        start.links.push_back({.node = link.node, .link = link.link, .to = {}, .busy = {}, .monitor_busy = {}});
    return start;
}

}  // namespace session
