#include "kept_tasks.hpp"

#include <algorithm>
#include <utility>

namespace tmon_detrek {

using trace_record::Event;
using trace_record::EventKind;

namespace {

// A number for one message: its place in the tree and its direction. Both of its records have the same (SplitMix64's mixer).
std::uint64_t message(std::uint16_t worker, const Event& event) {
    std::uint64_t x =
        (std::uint64_t{worker} << 40U | std::uint64_t{event.subtask} << 1U | event.is_result) + 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

}  // namespace

KeptTasks::KeptTasks(const farm_spec::FarmSpec& spec, const farm_spec::FarmTree& tree,
                     const std::vector<tmon_streams::StreamLedger>& ledgers)
    : spec_(spec),
      tree_(tree),
      ledgers_(ledgers),
      check_(spec, tree),
      came_(spec.nodes),
      folded_records_(spec.nodes),
      least_step_us_(spec.nodes) {
    folded_.returned.resize(spec.nodes);
}

bool KeptTasks::add(const Event& event) {
    if (folded_.has(event.task)) return false;
    Task& task = tasks_[event.task];
    if (task.complete) return false;
    task.records.push_back(event);
    ++records_;
    const bool at_worker = tree_.has(event.node) && tree_.parent(event.node) == event.peer;
    const std::uint64_t one = message(at_worker ? event.node : event.peer, event);
    task.balance += event.kind == EventKind::Send ? one : std::uint64_t{0} - one;
    if (event.kind == EventKind::Receive && event.is_result != 0 && event.node == 0) task.home = true;
    if (event.kind == EventKind::Receive && at_worker && tree_.may_pass_down(event.node))
        came_[event.node].emplace(event.seq, event.task);
    if (!task.home || task.balance != 0) return true;
    auto found = check_.complete(task.records);
    if (found && has_gap(found->visits)) {
        before_gaps_.insert(event.task);
    } else if (found) {
        before_gaps_.erase(event.task);
        completed(event.task, task, std::move(*found));
    }
    return true;
}

void KeptTasks::gap_filled() {
    for (auto number = before_gaps_.begin(); number != before_gaps_.end();) {
        Task& task = tasks_.at(*number);
        auto found = check_.complete(task.records);
        if (found && has_gap(found->visits)) {
            ++number;
            continue;
        }
        const std::uint32_t complete = *number;
        number = before_gaps_.erase(number);
        if (found) completed(complete, task, std::move(*found));
    }
}

// A record of it may be missing there, and may still come.
bool KeptTasks::has_gap(const std::vector<TaskCheck::Visit>& visits) const {
    return std::any_of(visits.begin(), visits.end(), [this](const TaskCheck::Visit& visit) {
        return ledgers_[visit.node].misses(visit.came_seq, visit.left_seq);
    });
}

void KeptTasks::completed(std::uint32_t number, Task& task, TaskCheck::Complete&& found) {
    task.complete = true;
    task.visits = std::move(found.visits);
    longest_.take(found.stays);
    for (const TaskCheck::Step& step : found.steps) {
        auto& least = least_step_us_[step.worker];
        least = std::min(least.value_or(step.us), step.us);
    }
    for (const Event& event : task.records) {
        auto& came = came_[event.node];
        const auto own = came.find(event.seq);
        if (own != came.end() && own->second == number) came.erase(own);
    }
    take_last_arrivals(number, task);
    const std::vector<std::uint32_t> waiters = std::exchange(task.waiters, {});
    fold_if_free(number);
    for (const std::uint32_t waiter : waiters) fold_if_free(waiter);
}

void KeptTasks::take_last_arrivals(std::uint32_t number, Task& task) {
    for (const Event& event : task.records) {
        if (event.kind != EventKind::Receive) continue;
        const auto [place, is_first] = last_arrival_.try_emplace({event.node, event.peer}, event.seq, number);
        if (!is_first && place->second.first >= event.seq) continue;
        const std::uint32_t before = place->second.second;
        place->second = {event.seq, number};
        if (!is_first && before == number) continue;
        ++task.holds;
        if (is_first) continue;
        --tasks_.at(before).holds;
        fold_if_free(before);
    }
}

void KeptTasks::fold_if_free(std::uint32_t number) {
    const auto at = tasks_.find(number);
    if (at == tasks_.end() || at->second.holds > 0) return;
    for (const TaskCheck::Visit& visit : at->second.visits) {
        const auto& came = came_[visit.node];
        const auto other = came.upper_bound(visit.came_seq);
        if (other == came.end() || other->first >= visit.left_seq) continue;
        tasks_.at(other->second).waiters.push_back(number);
        return;
    }
    fold(number, at->second);
    tasks_.erase(at);
}

void KeptTasks::fold(std::uint32_t number, const Task& task) {
    for (const Event& event : task.records) {
        ++folded_records_[event.node];
        if (event.kind == EventKind::Receive && event.is_result != 0) folded_.returned[event.peer] = true;
    }
    records_ -= task.records.size();
    folded_.add(number, number + spec_.granularity);
}

std::vector<std::vector<Event>> KeptTasks::by_node() const {
    std::vector<std::vector<Event>> all(spec_.nodes);
    for (const auto& [number, task] : tasks_)
        for (const Event& event : task.records) all[event.node].push_back(event);
    for (auto& records : all)
        std::sort(records.begin(), records.end(), [](const Event& a, const Event& b) { return a.seq < b.seq; });
    return all;
}

}  // namespace tmon_detrek
