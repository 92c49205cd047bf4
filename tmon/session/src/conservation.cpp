#include <tmon_session/conservation.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <trek_kernel/simulated_application.hpp>
#include <trek_kernel/tree.hpp>

namespace tmon_session {
namespace {

using vocabulary::NodeId;

std::string ms(vocabulary::SimTime time) {
    return fmt::format("{:.3f} ms", static_cast<double>(time.in_ps()) * 1e-9);
}

// Where the parts of a task were last: by sub-task, the node that has it or is to get it.
using Places = std::map<std::uint32_t, std::uint16_t>;

class Search {
public:
    Search(const Scenario& scenario, const SessionResult& result) : scenario_(scenario), result_(result) {
        for (const auto& event : result.truth.events()) {
            const bool sent = event.kind == trace_record::EventKind::Send;
            places_[event.task][event.subtask] = sent ? event.peer : event.node;
            if (event.node == 0 && event.is_result != 0 && !sent) returned_.insert(event.task);
        }
    }

    std::vector<LostTask> all() const {
        std::vector<LostTask> lost;
        for (std::uint32_t task = 0; task < scenario_.farm.tasks; ++task) {
            if (returned_.count(task) == 0) lost.push_back(cause_of(task));
        }
        return lost;
    }

private:
    LostTask cause_of(std::uint32_t task) const {
        for (const auto& [time, bug] : result_.truth.bugs()) {
            if (bug.task == task) {
                return {
                    task, LossCause::Struck,
                    fmt::format("struck by '{}' on n{} at {}", trek_kernel::bug_kinds()[static_cast<std::size_t>(bug.bug)].name,
                                bug.node.value(), ms(time))};
            }
        }
        for (const LostTransfer& transfer : result_.lost_transfers) {
            if (transfer.task && transfer.task->task == task) return {task, LossCause::OnALink, link_text(transfer)};
        }
        const auto places = places_.find(task);
        if (places != places_.end()) {
            for (const auto& [subtask, node] : places->second) {
                if (const auto cut = cut_above(NodeId(node))) {
                    return {task, LossCause::BehindACut,
                            fmt::format("on n{}, behind the cut between n{} and n{}", node, cut->first.value(),
                                        cut->second.value())};
                }
            }
        }
        return {task, LossCause::Waiting, waiting_text(places == places_.end() ? nullptr : &places->second)};
    }

    static std::string link_text(const LostTransfer& transfer) {
        return fmt::format(
            "lost on the link {} -> {} at {} {}", transfer.from, transfer.to, ms(transfer.when),
            transfer.ordered ? "by the reconfiguration of " + ms(*transfer.ordered) : "by a defect of " + transfer.which);
    }

    // The lower node and the parent of a broken edge between this node and the manager.
    std::optional<std::pair<NodeId, NodeId>> cut_above(NodeId node) const {
        for (std::optional<NodeId> at = node; at; at = trek_kernel::parent(scenario_.farm.tree, *at)) {
            const auto cut =
                std::find_if(result_.cuts.begin(), result_.cuts.end(), [&](const auto& c) { return c.first == *at; });
            if (cut != result_.cuts.end()) return *cut;
        }
        return std::nullopt;
    }

    std::string waiting_text(const Places* places) const {
        std::string where = "at the manager, which has not sent it";
        if (places != nullptr) where = fmt::format("on n{}", places->begin()->second);
        if (!result_.lost_transfers.empty()) {
            const LostTransfer& first = result_.lost_transfers.front();
            return fmt::format("waits {} for what depends on a message that was {}", where, link_text(first));
        }
        if (!result_.cuts.empty()) {
            return fmt::format("waits {} for the part of the farm behind the cut between n{} and n{}", where,
                               result_.cuts.front().first.value(), result_.cuts.front().second.value());
        }
        return fmt::format("was {} when the run ended{}", where, result_.diagnosis.empty() ? "" : ": " + result_.diagnosis);
    }

    const Scenario& scenario_;
    const SessionResult& result_;
    std::map<std::uint32_t, Places> places_;
    std::set<std::uint32_t> returned_;
};

}  // namespace

const char* loss_cause_name(LossCause cause) {
    constexpr std::array names = {"lost on a link", "behind a cut", "waiting", "struck"};
    return names[static_cast<std::size_t>(cause)];
}

std::vector<LostTask> lost_tasks(const Scenario& scenario, const SessionResult& result) {
    return Search(scenario, result).all();
}

}  // namespace tmon_session
