#include "standing.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace trek_kernel {
namespace {

std::string task_text(const TaskIdentity& what) {
    std::string text = "task " + std::to_string(what.task);
    if (what.subtask == 0) return text;
    char digits[16];
    std::snprintf(digits, sizeof digits, "%04x", what.subtask);
    return text + ", sub-task " + digits;
}

bool has_process(const NodeDesk& desk, UserProcess process) {
    static constexpr std::array names = {"data_generator", "trek.compute", "result_receiver", "trek.split", "trek.join"};
    const std::string name = names[static_cast<std::size_t>(process)];
    const auto& all = desk.kernel.threads();
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& p) { return p->name() == name && p->state() != trollius_os::ProcessState::Ended; });
}

// Empty when it waits for work.
std::string worker_standing(const NodeDesk& desk, UserProcess process) {
    const auto& at_work = desk.probes.at_work(process);
    std::optional<TaskIdentity> next;  // given to it, and not begun
    if (process == UserProcess::Compute && desk.compute.task) next = desk.compute.task->id;
    if (process == UserProcess::Split && desk.split.task) next = desk.split.task->id;
    if (process == UserProcess::Join && desk.joins.next() != nullptr) next = desk.joins.next()->id;
    if (!has_process(desk, process)) {
        const std::string has = at_work ? ", and had " + task_text(*at_work) : "";
        return "is not there" + has + (next ? ", and " + task_text(*next) + " waits for it" : "");
    }
    if (at_work) return "is in " + task_text(*at_work);
    if (next) return "does not take " + task_text(*next);
    const JoinSet* first = process == UserProcess::Join ? desk.joins.first_open() : nullptr;
    if (first == nullptr) return {};
    return "waits for " + std::to_string(first->missing) + " of " + std::to_string(first->parts.size()) + " results of " +
           task_text(first->id);
}

std::string master_standing(const NodeDesk& desk, const MasterCalls& calls, UserProcess process) {
    const bool there = has_process(desk, process);
    const std::string all = " of " + std::to_string(desk.config.tasks);
    if (process == UserProcess::Generate) {
        if (calls.next_task() >= desk.config.tasks && !there) return {};
        const std::string sent = ", has given out " + std::to_string(calls.next_task()) + all + " tasks";
        if (!there) return "is not there" + sent;
        return (desk.tasks.items.size() >= desk.config.buffers ? "waits for a free buffer" : "makes no task") + sent;
    }
    const std::string taken = ", has taken " + std::to_string(calls.taken()) + all + " results";
    if (!there) return "is not there" + taken;
    return (desk.collected.items.empty() ? "waits for a result"
                                         : "takes no result, and " + std::to_string(desk.collected.items.size()) + " wait") +
           taken;
}

}  // namespace

void add_standing(std::vector<Standing>& to, const NodeDesk& desk, const MasterCalls& calls) {
    const auto add = [&](UserProcess process, std::string text) {
        if (!text.empty()) to.push_back({desk.kernel.node(), process, std::move(text)});
    };
    if (desk.is_manager) {
        for (const UserProcess process : {UserProcess::Generate, UserProcess::PostProcess})
            add(process, master_standing(desk, calls, process));
        return;
    }
    add(UserProcess::Compute, worker_standing(desk, UserProcess::Compute));
    if (!desk.divides || desk.children.empty()) return;
    for (const UserProcess process : {UserProcess::Split, UserProcess::Join}) add(process, worker_standing(desk, process));
}

}  // namespace trek_kernel
