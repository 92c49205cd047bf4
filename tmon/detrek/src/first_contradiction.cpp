#include "first_contradiction.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_order/logical_time.hpp>
#include <tmon_streams/subtask_digits.hpp>

namespace tmon_detrek {

namespace {

using Subject = std::pair<std::uint32_t, SubTaskId>;

Subject subject_of(const Event& event) {
    return {event.task, event.subtask};
}

// These two tell of a whole what became of its parts, so as a rule they follow from something else.
bool is_derived(const Finding& finding) {
    return finding.kind == Contradiction::LeftBehind || finding.kind == Contradiction::SentTwice;
}

std::optional<tmon_order::EventRef> ref_of(const tmon_streams::Trace& trace, const Event& event) {
    std::uint32_t index = 0;
    for (const auto part : trace.streams[event.node].in_passing()) {
        for (const Event& each : part) {
            if (each.seq == event.seq) return tmon_order::EventRef{event.node, index};
            ++index;
        }
    }
    return {};
}

class Search {
public:
    Search(const tmon_streams::Trace& trace, const EventGraphs& graphs)
        : trace_(trace), graphs_(graphs), spec_(graphs.spec()), tree_(graphs.tree()) {}

    std::optional<FirstContradiction> run() {
        const std::vector<Finding> roots = causes();
        if (roots.empty()) return {};
        return described(earliest(roots));
    }

    std::vector<FaultRow> rows() const {
        std::vector<FaultRow> rows;
        for (const Finding& each : causes()) {
            const FirstContradiction at = described(each);
            rows.push_back({at.task, at.subtask, at.node, process_of(at), StopKind::Unanticipated, at.node, at.subtask, true});
        }
        sort_rows(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        return rows;
    }

private:
    // Findings that no other finding leads to. One leads to another when its message arrives there, or is passed on.
    std::vector<Finding> causes() const {
        std::vector<Finding> roots;
        const auto& all = graphs_.first_findings();
        std::set<std::tuple<std::uint16_t, EventKind, std::uint8_t, Subject>> known;
        for (const Finding& each : all) {
            if (!is_derived(each)) known.emplace(each.node, each.event.kind, each.event.is_result, subject_of(each.event));
        }
        const auto has = [&](std::uint16_t node, EventKind kind, const Event& of) {
            return known.contains({node, kind, of.is_result, subject_of(of)});
        };
        for (const Finding& each : all) {
            const Event& event = each.event;
            const bool follows = event.kind == EventKind::Receive
                                     ? event.peer < spec_.nodes && has(event.peer, EventKind::Send, event)
                                     : has(each.node, EventKind::Receive, event);
            if (!follows && !is_derived(each)) roots.push_back(each);
        }
        return roots.empty() ? all : roots;
    }

    Finding earliest(std::vector<Finding> roots) const {
        std::sort(roots.begin(), roots.end(), [](const Finding& a, const Finding& b) {
            return std::tuple(a.event.is_result, a.event.task, a.node, a.event.seq) <
                   std::tuple(b.event.is_result, b.event.task, b.node, b.event.seq);
        });
        if (roots.size() == 1) return roots.front();
        const tmon_order::LogicalTime time(trace_);
        std::optional<tmon_order::EventRef> first;
        Finding best = roots.front();
        for (const Finding& each : roots) {
            if (each.kind == Contradiction::WrongNode) continue;
            const auto ref = ref_of(trace_, each.event);
            if (!ref || (first && !time.happens_before(*ref, *first))) continue;
            first = ref;
            best = each;
        }
        return best;
    }

    FirstContradiction described(const Finding& finding) const {
        FirstContradiction first{finding, finding.node, false, Process::Compute, finding.event.task, finding.event.subtask, {}};
        const Event& event = finding.event;
        if (event.kind == EventKind::Receive) {
            first.on_a_link = finding.kind == Contradiction::NeverSent;
            if (event.peer < spec_.nodes) first.node = event.peer;
        }
        if (finding.kind == Contradiction::WrongNode || finding.kind == Contradiction::WrongNeighbour) first.on_a_link = true;
        if (const auto meant = event.kind == EventKind::Send ? spoilt(finding) : std::nullopt)
            std::tie(first.task, first.subtask) = *meant;
        first.process = maker(first.node, event, {first.task, first.subtask});
        std::vector<Subject> had{subject_of(event)};
        add_beside(finding, had);
        for (const Subject& each : had)
            first.beside.push_back({each.first, each.second, first.node, maker(first.node, event, each)});
        return first;
    }

    // A node may make one message too many, or give one the number of another. Then it has in hand the sub-task of the message
    // that goes the same way just before or just after. On node 0 that after it is the task after the last, which need not have
    // been sent.
    void add_beside(const Finding& finding, std::vector<Subject>& had) const {
        const Event& event = finding.event;
        if (event.is_result == 0 && finding.node != 0) return;
        std::optional<Subject> before, after;
        for (const auto part : trace_.streams[finding.node].in_passing()) {
            for (const Event& each : part) {
                const bool same_way = each.kind == event.kind && each.is_result == event.is_result;
                const bool itself = event.is_result != 0 && subject_of(each) == subject_of(event);
                if (!same_way || itself || (event.kind == EventKind::Receive && each.peer != event.peer)) continue;
                if (each.seq < event.seq) before = subject_of(each);
                if (each.seq > event.seq && !after) after = subject_of(each);
            }
        }
        if (before && event.is_result == 0) {
            const std::uint32_t next = graphs_.next(before->first);
            after = next < spec_.tasks ? std::optional(Subject{next, 0}) : std::nullopt;
        }
        if (before) had.push_back(*before);
        if (after) had.push_back(*after);
    }

    Process maker(std::uint16_t node, const Event& event, const Subject& had) const {
        if (node == 0) return Process::DataGenerator;
        if (event.is_result == 0) return !spec_.divides() ? Process::Distributing : Process::SplitOrCompute;
        return was_split(node, had) ? Process::Join : Process::Compute;
    }

    bool was_split(std::uint16_t node, const Subject& what) const {
        if (!spec_.divides() || what.first >= spec_.tasks) return false;
        for (const EventGraphs::Edge& edge : graphs_.edges()) {
            if (edge.worker != node || edge.subtask != what.second) continue;
            for (const auto& choice : edge.branches) {
                if (graphs_.standing(choice, what.first).back) return true;
            }
        }
        return false;
    }

    // The sub-task that the function had in hand: one that came and whose result never left, if there is one. Else the one that
    // left just before, of which this is one more. On node 0: the task that it never sent.
    std::optional<Subject> spoilt(const Finding& finding) const {
        const Event& event = finding.event;
        std::vector<Subject> open;
        std::optional<Subject> before;
        std::set<Subject> left;
        collect_left(finding.node, event.is_result, left);
        for (const auto part : trace_.streams[finding.node].in_passing()) {
            for (const Event& each : part) {
                if (each.seq >= event.seq) break;
                const bool came = each.kind == EventKind::Receive && tree_.parent(finding.node) == each.peer;
                if (came && !left.contains(subject_of(each))) open.push_back(subject_of(each));
                if (each.kind == EventKind::Send && each.is_result == event.is_result) before = subject_of(each);
            }
        }
        if (finding.node == 0) return given_for(event, before);
        if (!open.empty()) return open.front();
        if (finding.kind == Contradiction::Repeated) return {};
        return before;
    }

    // The task that data_generator() had when it gave this out. Twice the same, or the one after the last, is itself. Twice the
    // same, while only the next was left out and later ones were sent, is the next with a wrong number.
    std::optional<Subject> given_for(const Event& event, const std::optional<Subject>& before) const {
        if (before && before->first == event.task) {
            const auto missing = never_sent();
            const bool stands_in =
                missing && missing->first == graphs_.next(event.task) && graphs_.tasks_seen() > graphs_.next(missing->first);
            return stands_in ? missing : std::nullopt;
        }
        if (before && before->first + spec_.granularity == event.task) return {};
        if (const auto missing = never_sent()) return missing;
        return before;
    }

    // Everything the node ever sent in this direction. Downwards: those of its own sub-tasks of which a part was sent.
    void collect_left(std::uint16_t node, std::uint8_t results, std::set<Subject>& left) const {
        const SubTaskId digits = tmon_streams::low_digits(tree_.level(node) + 1);
        for (const auto part : trace_.streams[node].in_passing()) {
            for (const Event& each : part) {
                if (each.kind != EventKind::Send || (results != 0 && each.is_result == 0)) continue;
                left.insert(each.is_result != 0 ? subject_of(each) : Subject{each.task, each.subtask & digits});
            }
        }
    }

    std::optional<Subject> never_sent() const {
        for (std::uint32_t task = 0; task < spec_.tasks; task = graphs_.next(task)) {
            const auto standing = graphs_.standing(graphs_.roots(), task);
            if (!standing.open && !standing.back) return Subject{task, 0};
        }
        return {};
    }

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
};

}  // namespace

std::optional<FirstContradiction> first_contradiction(const tmon_streams::Trace& trace, const EventGraphs& graphs) {
    return Search(trace, graphs).run();
}

Process process_of(const FirstContradiction& at) {
    if (!at.on_a_link) return at.process;
    return at.finding.event.is_result != 0 ? Process::Collecting : Process::Distributing;
}

std::vector<FaultRow> unanticipated_rows(const tmon_streams::Trace& trace, const EventGraphs& graphs) {
    if (graphs.findings() == 0 || trace.directions_guessed) return {};
    return Search(trace, graphs).rows();
}

std::uint64_t unexpected_results(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec) {
    std::set<std::uint32_t> expected;
    std::set<std::uint32_t> home;
    std::uint64_t unexpected = 0;
    for (const auto part : trace.streams[0].in_passing()) {
        for (const Event& event : part) {
            if (event.kind == EventKind::Send && event.is_result == 0) expected.insert(event.task);
            if (event.kind != EventKind::Receive || event.is_result == 0) continue;
            // A task that is sent again after its result came is not expected again.
            const bool known = event.subtask == 0 && expected.contains(event.task) && home.insert(event.task).second;
            if (!known) unexpected += spec.granularity;  // each task of a bundle is dropped by itself
        }
    }
    return unexpected;
}

}  // namespace tmon_detrek
