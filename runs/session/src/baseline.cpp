#include "baseline.hpp"

#include <algorithm>
#include <set>

#include <instrumentation/accounts.hpp>
#include <topologies/end_names.hpp>
#include <trollius_os/accounts.hpp>

namespace session {

using vocabulary::NodeId;
using vocabulary::SimTime;

Baseline::Baseline(trollius_hosted::Multicomputer& box, const std::vector<LinkLine>& lines)
    : events_fired(box.machine().timeline().fired()), dropped_by_host(box.host().dropped_damaged()) {
    for (const LinkLine& line : lines) {
        links_.emplace(line.from, line.totals);
        application_bytes += line.totals.of[trollius_os::accounts::application].bytes;
    }
    for (std::size_t i = 0; i < box.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        nodes_.push_back({box.machine().node(node).processor.totals(),
                          box.kernel(node).rendezvous_time(instrumentation::accounts::trace_message)});
    }
}

void Baseline::take_from(std::vector<LinkLine>& lines, const trollius_hosted::Multicomputer& box) const {
    std::set<std::string> joined;
    for (const topologies::Path& path : box.network().paths()) {
        joined.insert(topologies::end_name(box.description(), path.a));
        joined.insert(topologies::end_name(box.description(), path.b));
    }
    for (LinkLine& line : lines) {
        const auto found = links_.find(line.from);
        if (found == links_.end()) continue;
        const hw_model::LinkTotals& before = found->second;
        for (std::size_t i = 0; i < vocabulary::accounts; ++i) {
            const vocabulary::Account account(static_cast<vocabulary::Account::value_type>(i));
            hw_model::LinkTotals::Sums& sums = line.totals.of[account];
            const hw_model::LinkTotals::Sums& its = before.of[account];
            sums.bytes -= its.bytes;
            sums.messages -= its.messages;
            sums.busy -= its.busy;
        }
        line.totals.waiting -= before.waiting;
        line.totals.lost -= before.lost;
        line.totals.lost_on_arrival -= before.lost_on_arrival;
    }
    std::erase_if(lines, [&](const LinkLine& line) { return joined.count(line.from) == 0 && !line.used(); });
}

void Baseline::take_from(hw_model::ProcessorTotals& totals, SimTime& kernel_monitor_time, NodeId node) const {
    const Node& before = nodes_.at(node.value());
    totals.high_busy -= before.totals.high_busy;
    totals.low_busy -= before.totals.low_busy;
    totals.stolen -= before.totals.stolen;
    totals.preemptions -= before.totals.preemptions;
    totals.timeslices -= before.totals.timeslices;
    totals.dispatches -= before.totals.dispatches;
    kernel_monitor_time -= before.kernel_monitor_time;
}

}  // namespace session
