#include <tmon_session/conservation.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <trek_kernel/tree.hpp>

#include "time_text.hpp"

namespace tmon_session {
namespace {

using topologies::FaultVerb;
using vocabulary::NodeId;
using vocabulary::SimTime;

struct Place {
    SimTime time;
    std::uint16_t node = 0;
    bool sent_result = false;  // and so nothing of it is left here
    std::uint16_t peer = 0;    // it was sent there
    bool sent = false;
};

// Something that can keep a task from coming home.
struct Obstacle {
    SimTime when;
    std::string what;
    std::optional<std::size_t> fault;
    std::optional<NodeId> node;                        // that stopped
    std::optional<std::pair<NodeId, NodeId>> between;  // neighbours that no longer talk
};

bool is_above(std::uint32_t ancestor, std::uint32_t subtask) {
    for (std::uint32_t digits = 0; digits < 8; ++digits) {
        if (ancestor == (subtask & ((1ULL << (4 * digits)) - 1))) return true;
    }
    return ancestor == subtask;
}

class Account {
public:
    Account(const Scenario& scenario, const SessionResult& result) : scenario_(scenario), result_(result) {
        places();
        bugs();
        losses();
        faults();
        std::stable_sort(obstacles_.begin(), obstacles_.end(),
                         [](const Obstacle& a, const Obstacle& b) { return a.when < b.when; });
    }

    Conservation run() const {
        Conservation account;
        for (std::uint32_t task = 0; task < scenario_.farm.tasks; ++task) {
            if (home_.count(task) > 0) {
                ++account.completed;
                continue;
            }
            TaskFate fate = fate_of(task);
            ++(fate.fate == Fate::Lost ? account.lost : fate.fate == Fate::Waits ? account.waits : account.unexplained);
            account.unfinished.push_back(std::move(fate));
        }
        return account;
    }

private:
    void places() {
        for (const trace_record::Event& event : result_.truth.events()) {
            const bool sent = event.kind == trace_record::EventKind::Send;
            pieces_[event.task][event.subtask] = {SimTime::us(static_cast<std::int64_t>(event.time_us)), event.node,
                                                  sent && event.is_result, event.peer, sent};
            if (event.node == 0 && event.is_result && !sent) home_.insert(event.task);
        }
        for (const auto& [time, step] : result_.truth.steps()) {
            Place& place = pieces_[step.task][step.subtask];
            if (place.time <= time) place = {time, step.node.value(), false, 0, false};
        }
    }

    void bugs() {
        for (const auto& [time, bug] : result_.truth.bugs()) {
            const std::string what = fmt::format("{} on {} failed with its bug at {}", name_of(bug.process),
                                                 topologies::node_name(bug.node), time_text(time));
            bug_of_.emplace(bug.task, what);
            obstacles_.push_back({time, what, {}, bug.node, {}});
        }
    }

    void losses() {
        for (const LostOnLink& loss : result_.lost_on_links) {
            if (loss.task) lost_of_.emplace(loss.task->task, &loss);
            obstacles_.push_back({loss.when, loss.cause, loss.fault, {}, loss.between});
        }
    }

    void faults() {
        if (!scenario_.faults) return;
        for (std::size_t i = 0; i < scenario_.faults->faults.size(); ++i) {
            const topologies::Fault& fault = scenario_.faults->faults[i];
            const auto& first = i < result_.fault_tallies.size() ? result_.fault_tallies[i].first : std::optional<SimTime>();
            if (!first) continue;
            Obstacle obstacle{*first, fmt::format("{}, at {}", topologies::fault_text(fault), time_text(*first)), i, {}, {}};
            if (fault.verb == FaultVerb::Die || fault.verb == FaultVerb::Halt) obstacle.node = fault.node;
            obstacles_.push_back(std::move(obstacle));
        }
    }

    // Which pieces of a task are somewhere: those that have not gone up in a result that was sent on.
    std::vector<Place> standing(std::uint32_t task) const {
        std::vector<Place> result;
        const auto found = pieces_.find(task);
        if (found == pieces_.end()) return result;
        for (const auto& [subtask, place] : found->second) {
            const std::uint32_t id = subtask;
            const Place& here = place;
            const bool gone_up = std::any_of(found->second.begin(), found->second.end(), [&](const auto& other) {
                return other.first != id && other.second.time >= here.time && other.second.node == here.node &&
                       other.second.sent_result && is_above(other.first, id);
            });
            if (!gone_up) result.push_back(place);
        }
        return result;
    }

    TaskFate fate_of(std::uint32_t task) const {
        if (const auto bug = bug_of_.find(task); bug != bug_of_.end()) return {task, Fate::Lost, bug->second, {}};
        if (const auto lost = lost_of_.find(task); lost != lost_of_.end())
            return {task, Fate::Lost, lost->second->cause, lost->second->fault};
        const std::vector<Place> pieces = standing(task);
        for (const Obstacle& obstacle : obstacles_) {
            if (!obstacle.node) continue;
            for (const Place& piece : pieces) {
                const std::uint16_t holder = piece.sent ? piece.peer : piece.node;
                if (holder == obstacle.node->value())
                    return {task, Fate::Lost,
                            fmt::format("{} held it: {}", topologies::node_name(*obstacle.node), obstacle.what),
                            obstacle.fault};
            }
        }
        return waits(task, pieces);
    }

    TaskFate waits(std::uint32_t task, const std::vector<Place>& pieces) const {
        const std::string where = pieces.empty() ? "not begun" : "on " + topologies::node_name(NodeId(pieces.front().node));
        for (const Obstacle& obstacle : obstacles_) {
            if (pieces.empty() || is_in_the_way(obstacle, pieces))
                return {task, Fate::Waits, fmt::format("{}, behind: {}", where, obstacle.what), obstacle.fault};
        }
        if (!obstacles_.empty())
            return {task, Fate::Waits, fmt::format("{}, after: {}", where, obstacles_.front().what), obstacles_.front().fault};
        if (result_.end == tmon::SessionEnd::Cut) return {task, Fate::Waits, where + ", when the session was cut", {}};
        return {task, Fate::Unexplained, {}, {}};
    }

    // Between a piece and the manager, or below it, where its sub-tasks may be.
    bool is_in_the_way(const Obstacle& obstacle, const std::vector<Place>& pieces) const {
        const auto above = [this](NodeId upper, NodeId lower) {
            for (std::optional<NodeId> at = lower; at; at = trek_kernel::parent(scenario_.farm.tree, *at)) {
                if (*at == upper) return true;
            }
            return false;
        };
        return std::any_of(pieces.begin(), pieces.end(), [&](const Place& piece) {
            const NodeId here(piece.node);
            const auto on_the_way = [&](NodeId node) { return above(node, here) || above(here, node); };
            if (obstacle.node) return on_the_way(*obstacle.node);
            return obstacle.between && on_the_way(obstacle.between->first) && on_the_way(obstacle.between->second);
        });
    }

    const Scenario& scenario_;
    const SessionResult& result_;
    std::map<std::uint32_t, std::map<std::uint32_t, Place>> pieces_;  // by task and sub-task: where it was last
    std::set<std::uint32_t> home_;
    std::map<std::uint32_t, std::string> bug_of_;
    std::map<std::uint32_t, const LostOnLink*> lost_of_;
    std::vector<Obstacle> obstacles_;
};

}  // namespace

const char* fate_name(Fate fate) {
    switch (fate) {
        case Fate::Completed:
            return "completed";
        case Fate::Lost:
            return "lost";
        case Fate::Waits:
            return "waits";
        case Fate::Unexplained:
            break;
    }
    return "unexplained";
}

Conservation account_for_tasks(const Scenario& scenario, const SessionResult& result) {
    return Account(scenario, result).run();
}

}  // namespace tmon_session
