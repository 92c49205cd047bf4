// FarmActivity: working times of each process of each node, and the number of waiting tasks, from a second pass over the truth
// of a run. The farm report counts them, and the page draws them.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include <oracle/farm_report.hpp>
#include <trek_kernel/farm_events.hpp>

namespace oracle {

// A user process at work on one task.
struct Work {
    vocabulary::NodeId node;
    trek_kernel::UserProcess process = trek_kernel::UserProcess::Compute;
    std::uint32_t task = 0, subtask = 0;
    vocabulary::SimTime begin, end;
    bool ended = false;  // else `end` is the end of the farm
};

// Tasks in the bundle whose first task this is.
std::uint32_t tasks_in(const farm_spec::FarmSpec& config, std::uint32_t task);

// Shows all work that began, in the order of its end; work that never ended comes last, by node and process. Cost: a pass over
// the steps of the run; memory for the work under way only.
void each_work(const ground_truth::Truth& truth, vocabulary::SimTime farm_end, const std::function<void(const Work&)>& see);
// The same as a list, for short runs.
std::vector<Work> work_of(const ground_truth::Truth& truth, vocabulary::SimTime farm_end);

FarmReport::Phases phases_of(const ground_truth::Truth& truth);

// Tasks, or bundles, that wait in a node: received or made by a split there, and neither begun nor sent on. A task still being
// sent counts. The manager's tasks are not counted.
class Waiting {
public:
    // Called after a change, or when work begins or ends on the node.
    using Change =
        std::function<void(vocabulary::SimTime when, std::size_t node, std::uint32_t waiting, std::uint32_t at_work)>;

    Waiting(const farm_spec::FarmSpec& config, const ground_truth::Truth& truth);
    void replay(const Change& change);

private:
    void moved(const trace_record::Event& event);
    void stepped(const trek_kernel::TaskStep& step);
    void enter(std::size_t node, std::uint32_t task, std::uint32_t subtask);
    bool leave(std::size_t node, std::uint32_t task, std::uint32_t subtask);
    void sub_tasks_made(const trek_kernel::TaskStep& step);

    struct Node {
        std::unordered_map<std::uint64_t, std::uint32_t> held;  // number of times each is held; never iterated
        std::uint32_t waiting = 0, at_work = 0;
        bool splits_first = false;  // for a bundle: parts of its tasks travel together
    };
    const farm_spec::FarmSpec& config_;
    const ground_truth::Truth& truth_;
    std::vector<Node> nodes_;
};

}  // namespace oracle
