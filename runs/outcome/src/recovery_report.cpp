#include "recovery_report.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <topologies/end_names.hpp>

#include <text/time_text.hpp>

namespace outcome {
namespace {

// A node has one parent and is given up once, so its number tells which tasks were issued again because of it.
std::vector<trek_kernel::TaskReissued> reissued_because_of(const ground_truth::Truth& truth, vocabulary::NodeId node) {
    std::vector<trek_kernel::TaskReissued> tasks;
    for (const auto& [time, task] : truth.reissued()) {
        if (task.child == node) tasks.push_back(task);
    }
    return tasks;
}

std::string task_text(const trek_kernel::TaskReissued& task) {
    return task.subtask == 0 ? std::to_string(task.task) : fmt::format("{}/{:04x}", task.task, task.subtask);
}

}  // namespace

std::string recovery_text(const ground_truth::Truth& truth) {
    constexpr std::size_t most_named = 12;
    std::string text;
    const auto out = std::back_inserter(text);
    for (const auto& [time, given_up] : truth.given_up()) {
        fmt::format_to(out, "  given up     {} by {} at {}, ", topologies::node_name(given_up.child),
                       topologies::node_name(given_up.node), text::time_text(time));
        const auto tasks = reissued_because_of(truth, given_up.child);
        if (tasks.empty()) text += "no task issued again";
        for (std::size_t i = 0; i < std::min(most_named, tasks.size()); ++i)
            text += (i > 0 ? ", " : tasks.size() > 1 ? "issued again: tasks " : "issued again: task ") + task_text(tasks[i]);
        if (tasks.size() > most_named) text += fmt::format(" and {} more", tasks.size() - most_named);
        text += '\n';
    }
    return text;
}

nlohmann::ordered_json recovery_json(const ground_truth::Truth& truth) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [time, given_up] : truth.given_up()) {
        nlohmann::ordered_json line = {{"node", given_up.child.value()},
                                       {"by", given_up.node.value()},
                                       {"time_ps", time.in_ps()},
                                       {"issued_again", nlohmann::ordered_json::array()}};
        for (const auto& task : reissued_because_of(truth, given_up.child))
            line["issued_again"].push_back({{"task", task.task}, {"subtask", fmt::format("{:04x}", task.subtask)}});
        json.push_back(std::move(line));
    }
    return json;
}

}  // namespace outcome
