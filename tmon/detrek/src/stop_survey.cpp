#include "stop_survey.hpp"

#include <algorithm>
#include <tuple>

namespace tmon_detrek {

namespace {

// Finds when the outstanding sub-tasks of these children were sent; for a stolen one that was sent again, the last time. It
// goes from the end of the parent's records back to the first of them.
void find_sends(const tmon_streams::Stream& parent, std::vector<NodeStops>& nodes, std::span<const std::uint16_t> children) {
    std::size_t missing = 0;
    for (const std::uint16_t child : children) missing += nodes[child].outstanding.size();
    for (auto part = parent.parts.rbegin(); part != parent.parts.rend(); ++part) {
        for (std::size_t i = part->size(); i-- > 0 && missing > 0;) {
            const Event& event = (*part)[i];
            if (event.kind != EventKind::Send || event.is_result != 0 || event.peer >= nodes.size()) continue;
            auto& list = nodes[event.peer].outstanding;  // still sorted by task and sub-task
            const auto place =
                std::lower_bound(list.begin(), list.end(), event, [](const Outstanding& each, const Event& wanted) {
                    return std::tie(each.task, each.subtask) < std::tie(wanted.task, wanted.subtask);
                });
            if (place == list.end() || place->task != event.task || place->subtask != event.subtask || place->found) continue;
            place->sent_seq = event.seq;
            place->found = true;
            --missing;
        }
    }
}

}  // namespace

StopSurvey::StopSurvey(const tmon_streams::Trace& trace, const EventGraphs& graphs)
    : nodes_(graphs.spec().nodes), below_(nodes_.size()) {
    for (std::uint32_t task = graphs.first_task(); task < graphs.tasks_seen(); task = graphs.next(task)) {
        if (!graphs.finished(task)) survey_task(graphs, task);
    }
    for (NodeStops& node : nodes_) {
        std::sort(node.outstanding.begin(), node.outstanding.end(), [](const Outstanding& a, const Outstanding& b) {
            return std::tie(a.task, a.subtask) < std::tie(b.task, b.subtask);
        });
    }
    order_by_sending(trace, graphs.tree());
    const auto& order = graphs.tree().from_the_top();
    for (auto node = order.rbegin(); *node != 0; ++node) {
        if (below_[*node] || !nodes_[*node].outstanding.empty()) below_[*graphs.tree().parent(*node)] = true;
    }
}

// True when the sub-task of this edge does not concern its worker any more: another node has it, or its whole went up.
bool StopSurvey::is_over(const EventGraphs& graphs, std::uint32_t number, std::uint32_t task) {
    const farm_spec::FarmSpec& spec = graphs.spec();
    if (!spec.survives && spec.policy != farm_spec::Policy::WorkStealing) return false;
    const auto& edge = graphs.edges()[number];
    if (!edge.above) return !graphs.is_open(number, task);
    const auto& choice = graphs.edges()[*edge.above].branches[edge.branch];
    if (!graphs.is_open(number, task) || graphs.standing(choice, task).back) return true;
    return (graphs.bits(*edge.above, task) & EventGraphs::result_sent) != 0 || is_over(graphs, *edge.above, task);
}

void StopSurvey::survey_task(const EventGraphs& graphs, std::uint32_t task) {
    const farm_spec::FarmSpec& spec = graphs.spec();
    for (std::uint32_t number = 0; number < graphs.edges().size(); ++number) {
        const std::uint8_t have = graphs.bits(number, task);
        if ((have & 0xF) == 0 || (have & EventGraphs::result_received) != 0 || is_over(graphs, number, task)) continue;
        const auto& edge = graphs.edges()[number];
        NodeStops& worker = nodes_[edge.worker];
        if ((have & EventGraphs::sent) != 0) worker.outstanding.push_back({task, edge.subtask});
        NodeStops& parent = nodes_[*graphs.tree().parent(edge.worker)];
        if ((have & EventGraphs::result_sent) != 0) {
            ++parent.not_taken;
            continue;
        }
        if (EventGraphs::on_its_way_back(have)) {
            ++parent.not_taken_back;
            continue;
        }
        if ((have & EventGraphs::received) == 0) {
            ++worker.not_received;
            continue;
        }
        unsigned passed = 0;
        unsigned back = 0;
        bool returned = false;
        for (const auto& choice : edge.branches) {
            const EventGraphs::Standing standing = graphs.standing(choice, task);
            passed += standing.open || standing.back ? 1 : 0;
            back += standing.back ? 1 : 0;
            returned = returned || standing.returned;
        }
        worker.held += passed == 0 || returned ? 1 : 0;
        if (back == spec.degree) ++(!spec.divides() ? worker.forward_pending : worker.join_ready);
    }
}

void StopSurvey::order_by_sending(const tmon_streams::Trace& trace, const farm_spec::FarmTree& tree) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        if (stream.node >= nodes_.size()) continue;
        find_sends(stream, nodes_, tree.children(stream.node));
    }
    for (NodeStops& node : nodes_) {
        std::stable_sort(node.outstanding.begin(), node.outstanding.end(),
                         [](const Outstanding& a, const Outstanding& b) { return a.sent_seq < b.sent_seq; });
    }
}

}  // namespace tmon_detrek
