// The counter-history of a likely verdict that the rules know without a search: another failure that leaves the same records.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "counter_history.hpp"
#include "gap_filling.hpp"
#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

bool Judge::has_record(std::uint16_t worker, std::uint32_t task, SubTaskId subtask, std::uint8_t bits) const {
    for (std::uint32_t edge = 0; edge < graphs_.edges().size(); ++edge) {
        const EventGraphs::Edge& each = graphs_.edges()[edge];
        if (each.worker == worker && each.subtask == subtask) return (graphs_.bits(edge, task) & bits) != 0;
    }
    return false;
}

// Silent nodes may have lost their last records: the arrivals on the way to this place. The first is that of a node whose
// parent has it, or sent it.
std::vector<Event> Judge::arrivals_before(const PossiblePlace& place) const {
    std::vector<Event> arrivals;
    if (!place.task || !place.node || *place.node == 0 || spec_.divides()) return arrivals;
    for (std::uint16_t node = *place.node; node != 0; node = *tree_.parent(node)) {
        if (alive(node) || has_record(node, *place.task, place.subtask, EventGraphs::received)) break;
        arrivals.push_back(record_of({*place.task, node, place.subtask, EventGraphs::received}, tree_));
    }
    std::reverse(arrivals.begin(), arrivals.end());
    return arrivals;
}

// A result can wait on a node while the next has no room for it. So every node above has one of its own, or another child has.
bool Judge::results_may_wait_for_the_receiver() const {
    if (trace_.session != tmon_streams::SessionEnd::StoodStill || verdict_.nodes.empty()) return false;
    return std::all_of(verdict_.nodes.begin(), verdict_.nodes.end(),
                       [this](std::uint16_t worker) { return worker != 0 && settled_.results_may_wait_above(worker); });
}

// A silent node may have passed its sub-task on to a silent child, and lost the records of that.
std::optional<CounterHistory> Judge::passed_on_before_silence() const {
    for (std::size_t i = 0; i < verdict_.nodes.size() && verdict_.task; ++i) {
        const std::uint16_t node = verdict_.nodes[i];
        const SubTaskId whole = verdict_.subtasks[i];
        if (node == 0 || alive(node) || !tree_.may_pass_down(node)) continue;
        const auto children = tree_.children(node);
        for (unsigned j = 0; j < children.size() && (!spec_.divides() || j < spec_.degree); ++j) {
            const SubTaskId part = spec_.divides() ? farm_spec::FarmSpec::branch_id(whole, tree_.level(node), j) : whole;
            constexpr unsigned came_back = EventGraphs::result_sent | EventGraphs::result_received;
            if (alive(children[j]) || has_record(children[j], *verdict_.task, part, came_back)) continue;
            CounterHistory counter;
            const auto lose = [&](std::uint16_t worker, SubTaskId subtask, std::uint8_t bit) {
                if (has_record(worker, *verdict_.task, subtask, bit)) return;
                counter.records.push_back(record_of({*verdict_.task, worker, subtask, bit}, tree_));
            };
            lose(node, whole, EventGraphs::received);
            lose(children[j], part, EventGraphs::sent);
            lose(children[j], part, EventGraphs::received);
            const bool computes = !spec_.divides() || !tree_.may_pass_down(children[j]);
            const PossiblePlace place{verdict_.task, part, children[j],
                                      std::string(process_name(computes ? Process::Compute : Process::SplitOrCompute))};
            return at_place(place, std::move(counter.records), spec_);
        }
    }
    return {};
}

std::optional<CounterHistory> Judge::counter_of_the_rules() const {
    const auto says = [](const char* text) {
        CounterHistory counter;
        counter.text = text;
        return counter;
    };
    if (trace_.session == tmon_streams::SessionEnd::Cut) return says("if a node was still at work, then nothing failed");
    if (!verdict_.also_possible.empty()) {
        const PossiblePlace& place = verdict_.also_possible.front();
        return at_place(place, arrivals_before(place), spec_);
    }
    if (auto counter = passed_on_before_silence()) return counter;
    const bool may_wait = std::any_of(verdict_.nodes.begin(), verdict_.nodes.end(),
                                      [this](std::uint16_t node) { return node != 0 && !settled_.has_begun(node); });
    if (may_wait) return says("with the same records: the node lives and waits for its monitor to begin, and nothing failed");
    if (!results_may_wait_for_the_receiver()) return {};
    CounterHistory counter = says("with the same records: result_receiver() on node 0 did not return, and results wait for it");
    counter.nodes.push_back(0);
    counter.subtasks.push_back(0);
    counter.process = process_name(Process::ResultReceiver);
    return counter;
}

// Nothing was recorded, and node 0 fell silent: it failed before it sent a task, or a child has the first one.
std::vector<CounterHistory> Judge::counters_without_a_record() const {
    if (trace_.size() > 0 || !trace_.losses_known || alive(0) || sends_as_it_likes()) return {};
    const auto children = tree_.children(0);
    const auto silent = std::find_if(children.begin(), children.end(), [this](std::uint16_t each) { return !alive(each); });
    if (silent == children.end()) return {};
    std::vector<Event> lost;
    for (const std::uint8_t bit : {EventGraphs::sent, EventGraphs::received})
        lost.push_back(record_of({0, *silent, 0, bit}, tree_));
    return {at_place({0, 0, 0, std::string(process_name(Process::DataGenerator))}, {}, spec_),
            at_place({0, 0, *silent, std::string(process_name(computing_process(*silent)))}, std::move(lost), spec_)};
}

// Node 0 lives and waits to record its first sends, one to each child. So a silent child without a record may have got one, or
// not. Nor does a record tell of data_generator(), which runs beside the process that waits.
std::vector<CounterHistory> Judge::counters_of_a_waiting_manager() const {
    if (!trace_.losses_known || !whole(0) || stream(0).size() > 0) return {};
    std::uint32_t task = graphs_.first_task();
    while (task < spec_.tasks && graphs_.has_events(task)) task = graphs_.next(task);
    if (task >= spec_.tasks) return {};
    const auto children = tree_.children(0);
    const auto silent = std::find_if(children.begin(), children.end(),
                                     [this](std::uint16_t each) { return !alive(each) && stream(each).size() == 0; });
    CounterHistory nothing;
    if (silent == children.end() || sends_as_it_likes()) {
        nothing.text = counter_text({}, "node 0 waits for its monitor to begin, and no function failed");
        return {std::move(nothing), at_place({task, 0, 0, std::string(process_name(Process::DataGenerator))}, {}, spec_)};
    }
    nothing.text = counter_text({}, fmt::format("node {} failed without a task", *silent));
    nothing.nodes.push_back(*silent);
    nothing.subtasks.push_back(0);
    return {std::move(nothing), at_place({task, 0, *silent, std::string(process_name(computing_process(*silent)))},
                                         {record_of({task, *silent, 0, EventGraphs::received}, tree_)}, spec_)};
}

// Other policies than flood-filling choose the child and the task.
bool Judge::sends_as_it_likes() const {
    return spec_.survives || spec_.policy != farm_spec::Policy::FloodFilling;
}

Process Judge::computing_process(std::uint16_t worker) const {
    return !spec_.divides() || !tree_.may_pass_down(worker) ? Process::Compute : Process::SplitOrCompute;
}

std::vector<CounterHistory> Judge::counters_of_unknown() const {
    if (verdict_.farm_never_began) return before_it_began("farm");
    if (auto counters = counters_without_a_record(); !counters.empty()) return counters;
    return counters_of_a_waiting_manager();
}

void Judge::note_counter_history() {
    if (verdict_.kind == VerdictKind::Unknown) verdict_.counter_histories = counters_of_unknown();
    if (verdict_.kind != VerdictKind::Likely) return;
    if (auto counter = counter_of_the_rules()) verdict_.counter_histories.push_back(std::move(*counter));
}

}  // namespace tmon_detrek
