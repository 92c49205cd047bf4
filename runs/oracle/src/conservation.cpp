#include <oracle/conservation.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <trek_kernel/simulated_application.hpp>
#include <trek_kernel/task_on_wire.hpp>
#include <trek_kernel/tree.hpp>

#include <text/time_text.hpp>
#include "strike_effect.hpp"

namespace oracle {
namespace {

using topologies::FaultVerb;
using vocabulary::NodeId;
using vocabulary::SimTime;

struct Place {
    SimTime time;
    std::uint16_t node = 0;
    bool sent_result = false;  // so nothing of it is left here
    std::uint16_t peer = 0;    // it was sent there
    bool sent = false;
    NodeId holder() const { return NodeId(sent ? peer : node); }
};

// Something that can keep tasks from coming home: at a node, or on the link of two neighbours.
struct Obstacle {
    SimTime when;
    std::string what;
    std::optional<std::size_t> fault;
    std::optional<NodeId> node;
    std::optional<std::pair<NodeId, NodeId>> between;
    bool stops = false;  // for ever: the node failed, the link is dead
};

bool is_above(std::uint32_t ancestor, std::uint32_t subtask) {
    for (std::uint32_t digits = 0; digits < 8; ++digits) {
        if (ancestor == (subtask & ((1ULL << (4 * digits)) - 1))) return true;
    }
    return ancestor == subtask;
}

class Account {
public:
    Account(const scenario::Scenario& scenario, const oracle::SessionResult& result)
        : scenario_(scenario), result_(result), home_(scenario.farm.tasks), open_(scenario.farm.tasks) {
        for (const std::uint32_t task : result.truth.home()) {
            if (task < home_.size()) home_[task] = true;
        }
        for (std::uint32_t task = 0; task < home_.size(); ++task) {
            if (!home_[task]) open_[bundle_of(task)] = true;
        }
        places();
        bugs();
        losses();
        faults();
        drops();
        std::stable_sort(obstacles_.begin(), obstacles_.end(),
                         [](const Obstacle& a, const Obstacle& b) { return a.when < b.when; });
    }

    Conservation run() const {
        Conservation account;
        for (std::uint32_t task = 0; task < scenario_.farm.tasks; ++task) {
            if (home_[task]) {
                ++account.completed;
                continue;
            }
            account.unfinished.push_back(cause_of(task));
            const LossCause cause = account.unfinished.back().cause;
            const bool waits = cause == LossCause::BehindACut || cause == LossCause::Waiting;
            ++(cause == LossCause::Unexplained ? account.unexplained : waits ? account.waits : account.lost);
        }
        return account;
    }

private:
    // Tasks of a bundle are in one place.
    std::uint32_t bundle_of(std::uint32_t task) const { return task - task % scenario_.farm.granularity; }

    // A damaged number may lie beyond the tasks and yet in the last bundle.
    bool is_open(std::uint32_t task) const {
        const std::uint32_t first = bundle_of(task);
        return first < open_.size() && open_[first];
    }

    void places() {
        for (const trace_record::Event& event : result_.truth.events()) {
            if (!is_open(event.task)) continue;
            const bool sent = event.kind == trace_record::EventKind::Send;
            pieces_[bundle_of(event.task)][event.subtask] = {SimTime::us(static_cast<std::int64_t>(event.time_us)), event.node,
                                                             sent && event.is_result, event.peer, sent};
        }
        for (const auto& [time, step] : result_.truth.steps()) {
            if (!is_open(step.task)) continue;
            Place& place = pieces_[bundle_of(step.task)][step.subtask];
            if (place.time <= time) place = {time, step.node.value(), false, 0, false};
        }
        issued_again();
    }

    // A node's tasks go to its parent when it is given up. Anything that the node still does with them does not count.
    void issued_again() {
        for (const auto& [time, reissue] : result_.truth.reissued()) {
            if (!is_open(reissue.task)) continue;
            auto& pieces = pieces_[bundle_of(reissue.task)];
            const std::uint32_t whole = reissue.subtask;
            const NodeId dead = reissue.child;
            std::erase_if(pieces, [&](const auto& piece) {
                return is_above(whole, piece.first) && leads_over(dead, piece.second.holder());
            });
            Place& place = pieces[whole];
            if (place.time <= time) place = {time, reissue.node.value(), false, 0, false};
        }
    }

    void bugs() {
        const StrikeEffects effects(result_);
        for (const ground_truth::TrueBug& strike : result_.truth.bugs()) {
            const auto& [time, bug] = strike;
            const trek_kernel::BugInfo& info = trek_kernel::bug_kinds()[static_cast<std::size_t>(bug.bug)];
            if (!info.of_a_task()) {
                const std::string text =
                    fmt::format("{} of {} was never created", name_of(bug.process), topologies::node_name(bug.node));
                obstacles_.push_back({time, text, {}, bug.node, {}, true});
                continue;
            }
            const std::string what =
                fmt::format("struck by '{}' on {} at {}", info.name, topologies::node_name(bug.node), text::time_text(time));
            const bool process = effects.stopped_process(strike);
            if (process || effects.stopped_task(strike)) bug_of_.emplace(bug.task, what);
            // A bug that let its process go on stopped nothing for good, though the process may have kept messages that others
            // wait for.
            if (process || effects.stopped_task(strike))
                obstacles_.push_back({time, fmt::format("task {} was {}", bug.task, what), {}, bug.node, {}, process});
        }
    }

    void losses() {
        for (const session::LostOnLink& loss : result_.simulated.faults.lost_on_links) {
            if (loss.task) lost_of_.emplace(bundle_of(loss.task->task), std::pair(loss.cause, loss.fault));
            obstacles_.push_back({loss.when, loss.cause, loss.fault, {}, loss.between, false});
        }
        for (const trollius_hosted::LostTransfer& transfer : result_.simulated.switches.lost_transfers) {
            const std::string text = "a message was " + link_text(transfer);
            if (const auto task = trek_kernel::task_on_wire(transfer.header))
                lost_of_.emplace(bundle_of(task->task), std::pair(link_text(transfer), std::nullopt));
            obstacles_.push_back({transfer.when, text, {}, {}, transfer.between, false});
        }
        for (const auto& [lower, upper] : result_.simulated.switches.cuts) {
            const std::string text = fmt::format("the cut between n{} and n{}", lower.value(), upper.value());
            obstacles_.push_back({SimTime::never(), text, {}, {}, std::pair(lower, upper), true});
        }
    }

    void drops() {
        for (const trollius_os::MessageDropped& drop : result_.truth.dropped()) {
            const std::string text = fmt::format("dropped by {} on {} at {}: {}", drop.where, topologies::node_name(drop.node),
                                                 text::time_text(drop.time), drop.why);
            if (drop.task >= 0)
                lost_of_.emplace(bundle_of(static_cast<std::uint32_t>(drop.task)), std::pair(text, std::nullopt));
            obstacles_.push_back({drop.time, "a message was " + text, {}, drop.node, {}, false});
        }
    }

    static std::string link_text(const trollius_hosted::LostTransfer& transfer) {
        return fmt::format("lost on the link {} -> {} at {} {}", transfer.from, transfer.to, text::time_text(transfer.when),
                           transfer.ordered ? "by the reconfiguration of " + text::time_text(*transfer.ordered)
                                            : "by a defect of " + transfer.which);
    }

    void faults() {
        if (!scenario_.faults) return;
        const session::FaultEffects& effects = result_.simulated.faults;
        for (std::size_t i = 0; i < scenario_.faults->faults.size(); ++i) {
            const topologies::Fault& fault = scenario_.faults->faults[i];
            const auto& first = i < effects.tallies.size() ? effects.tallies[i].first : std::optional<SimTime>();
            if (!first) continue;
            const std::string text = fmt::format("{}, at {}", topologies::fault_text(fault), text::time_text(*first));
            if (fault.verb == FaultVerb::Die || fault.verb == FaultVerb::Halt)
                obstacles_.push_back({*first, text, i, fault.node, {}, true});
            const bool lasts = !effects.tallies[i].ended && blocks_links(fault.verb);
            for (const auto& between : effects.links[i]) {
                if (lasts) obstacles_.push_back({*first, text, i, {}, between, true});
            }
        }
    }

    static bool blocks_links(FaultVerb verb) {
        return verb == FaultVerb::Cut || verb == FaultVerb::Stick || verb == FaultVerb::SwitchStuck ||
               verb == FaultVerb::Miswire;
    }

    // The pieces of a task that are somewhere: those that have not gone up in a result that was sent on.
    std::vector<Place> standing(std::uint32_t task) const {
        std::vector<Place> result;
        const auto found = pieces_.find(bundle_of(task));
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

    LostTask cause_of(std::uint32_t task) const {
        if (const auto bug = bug_of_.find(task); bug != bug_of_.end()) return {task, LossCause::Struck, bug->second, {}};
        if (const auto lost = lost_of_.find(bundle_of(task)); lost != lost_of_.end())
            return {task, LossCause::OnALink, lost->second.first, lost->second.second};
        const std::vector<Place> pieces = standing(task);
        for (const Place& piece : pieces) {
            for (const Obstacle& obstacle : obstacles_) {
                if (!obstacle.stops || obstacle.node != piece.holder()) continue;
                return {task, LossCause::Held,
                        fmt::format("{} held it: {}", topologies::node_name(*obstacle.node), obstacle.what), obstacle.fault};
            }
        }
        for (const Place& piece : pieces) {
            for (const Obstacle& obstacle : obstacles_) {
                if (!obstacle.stops || !is_on_the_way_up(obstacle, piece.holder())) continue;
                return {task, LossCause::BehindACut,
                        fmt::format("on {}, behind {}", topologies::node_name(piece.holder()), obstacle.what), obstacle.fault};
            }
        }
        return waiting(task, pieces);
    }

    // Whole, but something else was hit and stopped it: a message on the same link, or a part below that should ask for it.
    LostTask waiting(std::uint32_t task, const std::vector<Place>& pieces) const {
        const std::string where =
            pieces.empty() ? "at the manager, which has not sent it" : "on " + topologies::node_name(pieces.front().holder());
        for (const Obstacle& obstacle : obstacles_) {
            if (is_in_the_way(obstacle, pieces))
                return {task, LossCause::Waiting, fmt::format("waits {}, behind: {}", where, obstacle.what), obstacle.fault};
        }
        if (!result_.observed.diagnosis.empty() && something_struck())
            return {task, LossCause::Waiting, "the farm never ran: " + result_.observed.diagnosis, {}};
        if (result_.observed.end == tmon_streams::SessionEnd::Cut)
            return {task, LossCause::Waiting, fmt::format("was {} when the session was cut", where), {}};
        if (result_.observed.end == tmon_streams::SessionEnd::NeverBegan)
            return {
                task, LossCause::Waiting, fmt::format("was {} when the session was given up before the farm began", where), {}};
        return {task, LossCause::Unexplained, "was " + where + " when the run ended", {}};
    }

    bool something_struck() const {
        return !obstacles_.empty() ||
               std::any_of(result_.simulated.faults.tallies.begin(), result_.simulated.faults.tallies.end(),
                           [](const hw_model::FaultTally& tally) { return tally.first.has_value(); });
    }

    bool in_farm(NodeId node) const { return scenario_.farm.has(node); }
    std::optional<NodeId> parent(NodeId node) const { return scenario_.farm.parent(node); }
    bool leads_over(NodeId upper, NodeId lower) const {
        for (std::optional<NodeId> at = lower; at; at = parent(*at)) {
            if (*at == upper) return true;
        }
        return false;
    }
    // The lower end of the farm's link between the two; nothing when the farm does not use one there.
    std::optional<NodeId> lower_end(const std::pair<NodeId, NodeId>& between) const {
        if (!in_farm(between.first) || !in_farm(between.second)) return std::nullopt;
        if (parent(between.first) == between.second) return between.first;
        if (parent(between.second) == between.first) return between.second;
        return std::nullopt;
    }
    // The node whose way to the manager the obstacle blocks.
    std::optional<NodeId> place_of(const Obstacle& obstacle) const {
        if (obstacle.node && in_farm(*obstacle.node)) return obstacle.node;
        return obstacle.between ? lower_end(*obstacle.between) : std::nullopt;
    }
    bool is_on_the_way_up(const Obstacle& obstacle, NodeId from) const {
        const auto place = place_of(obstacle);
        return place && leads_over(*place, from);
    }
    // Between a piece and the manager, or below it, where its sub-tasks are to go. A task that was not sent is at the manager.
    bool is_in_the_way(const Obstacle& obstacle, const std::vector<Place>& pieces) const {
        const auto place = place_of(obstacle);
        if (!place) return false;
        return pieces.empty() || std::any_of(pieces.begin(), pieces.end(), [&](const Place& piece) {
                   return leads_over(*place, piece.holder()) || leads_over(piece.holder(), *place);
               });
    }

    const scenario::Scenario& scenario_;
    const oracle::SessionResult& result_;
    std::vector<bool> home_, open_;  // by task; by first task of a bundle: some of it is not home
    // By open task or bundle, and sub-task: where it was last.
    std::map<std::uint32_t, std::map<std::uint32_t, Place>> pieces_;
    std::map<std::uint32_t, std::string> bug_of_;
    std::map<std::uint32_t, std::pair<std::string, std::optional<std::size_t>>> lost_of_;
    std::vector<Obstacle> obstacles_;
};

}  // namespace

const char* loss_cause_name(LossCause cause) {
    constexpr std::array names = {"lost on a link", "behind a cut", "waiting", "struck", "held by a node that failed",
                                  "unexplained"};
    return names[static_cast<std::size_t>(cause)];
}

Conservation account_for_tasks(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    return Account(scenario, result).run();
}

}  // namespace oracle
