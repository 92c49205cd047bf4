#include <oracle/farm_activity.hpp>

#include <algorithm>
#include <map>

namespace oracle {

using trek_kernel::Moment;
using trek_kernel::TaskStep;
using trek_kernel::UserProcess;
using vocabulary::NodeId;
using vocabulary::SimTime;

std::uint32_t tasks_in(const farm_spec::FarmSpec& config, std::uint32_t task) {
    return task < config.tasks ? std::min(config.granularity, config.tasks - task) : 1;
}

void each_work(const ground_truth::Truth& truth, SimTime farm_end, const std::function<void(const Work&)>& see) {
    std::map<std::pair<NodeId, UserProcess>, Work> open;
    for (const auto& [time, step] : truth.steps()) {
        const auto key = std::make_pair(step.node, step.process);
        if (step.moment == Moment::Begin) {
            open[key] = {step.node, step.process, step.task, step.subtask, time, farm_end, false};
        } else if (const auto begun = open.find(key); begun != open.end()) {
            begun->second.end = time;
            begun->second.ended = true;
            see(begun->second);
            open.erase(begun);
        }
    }
    for (const auto& [key, work] : open) see(work);
}

std::vector<Work> work_of(const ground_truth::Truth& truth, SimTime farm_end) {
    std::vector<Work> all;
    each_work(truth, farm_end, [&](const Work& work) { all.push_back(work); });
    return all;
}

FarmReport::Phases phases_of(const ground_truth::Truth& truth) {
    FarmReport::Phases phases;
    phases.began = truth.moved() > 0 && !truth.events().empty();
    if (!phases.began) return phases;
    phases.first_task = phases.last_first = phases.last_task = phases.last_result = truth.first_event();
    phases.end = truth.last_activity();
    for (const trace_record::Event& event : truth.events()) {
        if (event.node != 0) continue;
        const SimTime when = SimTime::us(static_cast<std::int64_t>(event.time_us));
        const bool sent = event.kind == trace_record::EventKind::Send;
        if (sent && event.is_result == 0) phases.last_task = std::max(phases.last_task, when);
        if (!sent && event.is_result != 0) phases.last_result = std::max(phases.last_result, when);
    }
    std::vector<bool> has_begun;
    for (const auto& [time, step] : truth.steps()) {
        const std::size_t node = step.node.value();
        if (has_begun.size() <= node) has_begun.resize(node + 1);
        const bool first = step.process == UserProcess::Compute || step.process == UserProcess::Split;
        if (!first || has_begun[node]) continue;
        has_begun[node] = true;
        phases.last_first = std::max(phases.last_first, time);
    }
    return phases;
}

Waiting::Waiting(const farm_spec::FarmSpec& config, const ground_truth::Truth& truth)
    : config_(config), truth_(truth), nodes_(config.nodes) {}

// Moves have their time in whole microseconds, steps exactly. A move in the microsecond of a step counts as the earlier one, as
// a task arrives before it is begun.
void Waiting::replay(const Change& change) {
    auto step = truth_.steps().begin();
    const auto told = [&](SimTime when, std::size_t node) { change(when, node, nodes_[node].waiting, nodes_[node].at_work); };
    const auto steps_before = [&](SimTime when) {
        for (; step != truth_.steps().end() && step->time < when; ++step) {
            if (step->step.node.value() >= nodes_.size()) continue;
            stepped(step->step);
            told(step->time, step->step.node.value());
        }
    };
    for (const trace_record::Event& event : truth_.events()) {
        const SimTime when = SimTime::us(static_cast<std::int64_t>(event.time_us));
        steps_before(when);
        if (event.node == 0 || event.is_result != 0 || event.node >= nodes_.size()) continue;
        moved(event);
        told(when, event.node);
    }
    steps_before(SimTime::never());
}

void Waiting::enter(std::size_t node, std::uint32_t task, std::uint32_t subtask) {
    ++nodes_[node].held[std::uint64_t{task} << 32 | subtask];
    ++nodes_[node].waiting;
}

// Tasks that were not seen to come do not go: the later tasks of a bundle, damaged numbers, planted bugs.
bool Waiting::leave(std::size_t node, std::uint32_t task, std::uint32_t subtask) {
    const auto held = nodes_[node].held.find(std::uint64_t{task} << 32 | subtask);
    if (held == nodes_[node].held.end()) return false;
    if (--held->second == 0) nodes_[node].held.erase(held);
    --nodes_[node].waiting;
    return true;
}

void Waiting::moved(const trace_record::Event& event) {
    if (event.kind == trace_record::EventKind::Receive) {
        enter(event.node, event.task, event.subtask);
    } else {
        leave(event.node, event.task, event.subtask);
    }
}

void Waiting::stepped(const TaskStep& step) {
    if (step.process == UserProcess::Generate || step.process == UserProcess::PostProcess) return;
    Node& node = nodes_[step.node.value()];
    if (step.moment == Moment::Begin) {
        ++node.at_work;
        const bool came = step.process != UserProcess::Join && leave(step.node.value(), step.task, step.subtask);
        if (step.process == UserProcess::Split) node.splits_first = came;
        return;
    }
    if (node.at_work > 0) --node.at_work;
    if (step.process == UserProcess::Split && node.splits_first) sub_tasks_made(step);
}

// A planted bug may have prevented the sub-tasks. Then those that are sent are not seen to wait.
void Waiting::sub_tasks_made(const TaskStep& step) {
    const bool struck = std::any_of(truth_.bugs().begin(), truth_.bugs().end(), [&](const ground_truth::TrueBug& true_bug) {
        const trek_kernel::BugStruck& bug = true_bug.bug;
        return bug.node == step.node && bug.process == UserProcess::Split && bug.task == step.task &&
               bug.subtask == step.subtask;
    });
    if (struck) return;
    const std::size_t digit = 4 * (config_.level(step.node) + 1);
    for (std::uint32_t branch = 0; branch < config_.degree; ++branch)
        enter(step.node.value(), step.task, step.subtask | branch << digit);
}

}  // namespace oracle
