#include "task_check.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <tmon_detrek/event_graphs.hpp>

namespace tmon_detrek {

namespace {

using Longest = std::vector<std::optional<std::uint64_t>>;

void raise(Longest& longest, unsigned level, std::uint64_t stay) {
    if (longest.size() <= level) longest.resize(level + 1);
    longest[level] = std::max(longest[level].value_or(0), stay);
}

// A later record may have an earlier time when it is damaged.
std::uint64_t between(std::uint64_t from_us, std::uint64_t to_us) {
    return to_us > from_us ? to_us - from_us : 0;
}

void raise_all(Longest& longest, const Longest& other) {
    for (unsigned level = 0; level < other.size(); ++level)
        if (other[level]) raise(longest, level, *other[level]);
}

// The records of one task, put into its edges as EventGraphs does it.
class Edges {
public:
    Edges(const farm_spec::FarmSpec& spec, const farm_spec::FarmTree& tree) : spec_(spec), tree_(tree) {}

    // Called for the records of each node in their order. False: the record does not fit.
    bool take(const Event& event) {
        if (event.task >= spec_.tasks || (spec_.granularity > 1 && event.task % spec_.granularity != 0)) return false;
        if (event.peer >= spec_.nodes || !tree_.has(event.node) || !tree_.has(event.peer)) return false;
        const bool send = event.kind == EventKind::Send;
        const bool at_worker = tree_.parent(event.node) == event.peer;
        const bool at_parent = tree_.parent(event.peer) == event.node && (event.node == 0 || tree_.may_pass_down(event.node));
        if (at_worker == at_parent) return false;
        const bool up = at_worker == send;
        const bool given_back = up && event.is_result == 0 && spec_.policy == farm_spec::Policy::WorkStealing;
        if ((event.is_result != 0) != up && !given_back) return false;
        const std::uint16_t worker = at_worker ? event.node : event.peer;
        if (!spec_.possible_at(event.subtask, tree_.level(worker))) return false;
        Edge& edge = edges_[{worker, event.subtask}];
        if (at_parent && event.node != 0) note_part(event);
        if (given_back) return undo(edge, at_worker);
        return at_worker ? mark(edge, event, send ? EventGraphs::result_sent : EventGraphs::received)
                         : mark(edge, event, send ? EventGraphs::sent : EventGraphs::result_received);
    }

    std::optional<TaskCheck::Complete> complete() const {
        unsigned roots = 0;
        std::map<Key, unsigned> parts;  // of each whole
        for (const auto& [key, edge] : edges_) {
            if ((edge.bits & 0xF) == 0 && !on_its_way_back(edge)) continue;
            if ((edge.bits & 0xF) != 0xF) return {};
            const std::uint16_t above = *tree_.parent(key.first);
            if (above == 0) {
                ++roots;
                continue;
            }
            const auto whole = edges_.find({above, whole_of(above, key.second)});
            if (whole == edges_.end() || (whole->second.bits & 0xF) != 0xF || !once(above, key.second)) return {};
            ++parts[whole->first];
        }
        if (roots != 1) return {};
        const unsigned degree = spec_.divides() ? spec_.degree : 1;
        for (const auto& [whole, number] : parts)
            if (number != degree) return {};
        return described();
    }

private:
    using Key = std::pair<std::uint16_t, SubTaskId>;  // worker, sub-task
    struct Edge {
        std::uint8_t bits = 0;
        std::uint32_t came_seq = 0, left_seq = 0;
        std::uint64_t came_us = 0, left_us = 0, home_us = 0;                     // home: at the parent
        std::optional<std::uint64_t> first_part_us, last_part_us, last_back_us;  // of its parts, at the worker
    };

    SubTaskId whole_of(std::uint16_t node, SubTaskId part) const {
        return spec_.divides() ? part & ~(SubTaskId{0xF} << (4 * (tree_.level(node) + 1))) : part;
    }
    static bool on_its_way_back(const Edge& edge) {
        return ((edge.bits & EventGraphs::gave_back) != 0) != ((edge.bits & EventGraphs::took_back) != 0);
    }
    // False when the part was given to two children.
    bool once(std::uint16_t node, SubTaskId part) const {
        unsigned number = 0;
        for (const std::uint16_t child : tree_.children(node)) {
            const auto edge = edges_.find({child, part});
            number += edge != edges_.end() && (edge->second.bits & 0xF) == 0xF ? 1 : 0;
        }
        return number == 1;
    }
    void note_part(const Event& event) {
        Edge& whole = edges_[{event.node, whole_of(event.node, event.subtask)}];
        if (event.kind == EventKind::Receive) {
            whole.last_back_us = event.time_us;
        } else {
            if (!whole.first_part_us) whole.first_part_us = event.time_us;
            whole.last_part_us = event.time_us;
        }
    }
    static bool mark(Edge& edge, const Event& event, std::uint8_t bit) {
        const std::uint8_t before = bit == EventGraphs::result_sent       ? EventGraphs::received
                                    : bit == EventGraphs::result_received ? EventGraphs::sent
                                                                          : std::uint8_t{0};
        if ((edge.bits & bit) != 0 || (edge.bits & before) != before) return false;
        edge.bits = static_cast<std::uint8_t>(edge.bits | bit);
        if (bit == EventGraphs::received) {
            edge.came_seq = event.seq;
            edge.came_us = event.time_us;
        }
        if (bit == EventGraphs::result_sent) {
            edge.left_seq = event.seq;
            edge.left_us = event.time_us;
        }
        if (bit == EventGraphs::result_received) edge.home_us = event.time_us;
        return true;
    }
    static bool undo(Edge& edge, bool at_worker) {
        const std::uint8_t came_by = at_worker ? EventGraphs::received : EventGraphs::sent;
        const std::uint8_t result = at_worker ? EventGraphs::result_sent : EventGraphs::result_received;
        if ((edge.bits & result) != 0 || (edge.bits & came_by) == 0) return false;
        const std::uint8_t parity = at_worker ? EventGraphs::gave_back : EventGraphs::took_back;
        edge.bits = static_cast<std::uint8_t>(((edge.bits & ~came_by) ^ parity) | EventGraphs::moved_back);
        return true;
    }

    TaskCheck::Complete described() const {
        TaskCheck::Complete complete;
        for (const auto& [key, edge] : edges_) {
            if ((edge.bits & 0xF) != 0xF) continue;
            complete.visits.push_back({key.first, edge.came_seq, edge.left_seq});
            const std::uint64_t before_us = edge.last_back_us.value_or(edge.came_us);
            complete.steps.push_back(
                {key.first, static_cast<std::int64_t>(edge.home_us) - static_cast<std::int64_t>(before_us)});
            const unsigned level = tree_.level(key.first);
            raise(complete.stays.held, level, between(edge.came_us, edge.first_part_us.value_or(edge.left_us)));
            if (!edge.first_part_us || !edge.last_back_us) continue;
            raise(complete.stays.branch, level, between(*edge.first_part_us, *edge.last_part_us));
            raise(complete.stays.join, level, between(*edge.last_back_us, edge.left_us));
        }
        return complete;
    }

    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
    std::map<Key, Edge> edges_;
};

}  // namespace

void LongestStays::take(const LongestStays& other) {
    raise_all(held, other.held);
    raise_all(branch, other.branch);
    raise_all(join, other.join);
}

std::optional<TaskCheck::Complete> TaskCheck::complete(std::vector<Event> records) const {
    std::sort(records.begin(), records.end(),
              [](const Event& a, const Event& b) { return std::tie(a.node, a.seq) < std::tie(b.node, b.seq); });
    Edges edges(spec_, tree_);
    for (const Event& event : records)
        if (!edges.take(event)) return {};
    return edges.complete();
}

}  // namespace tmon_detrek
