// The standing of a node's user processes: the state that a person would read out of its kernel when a farm stands still.
#include <algorithm>

#include "trek_node_parts.hpp"

namespace trek_kernel {
namespace {

std::string task_text(const TaskIdentity& what) {
    std::string text = "task " + std::to_string(what.task);
    if (what.subtask == 0) return text;
    char digits[16];
    std::snprintf(digits, sizeof digits, "%04x", what.subtask);
    return text + ", sub-task " + digits;
}

}  // namespace

void TrekNode::note_step(UserProcess process, Moment moment, const TaskIdentity& what) {
    auto& at_work = at_work_[static_cast<std::size_t>(process)];
    at_work = moment == Moment::Begin ? std::optional(what) : std::nullopt;
}

bool TrekNode::has_process(UserProcess process) const {
    static constexpr std::array names = {"data_generator", "trek.compute", "result_receiver", "trek.split", "trek.join"};
    const std::string name = names[static_cast<std::size_t>(process)];
    const auto& all = kernel_.processes();
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& p) { return p->name() == name && p->state() != trollius_os::ProcessState::Ended; });
}

// Empty when it waits for work.
std::string TrekNode::worker_standing(UserProcess process) const {
    const auto& at_work = at_work_[static_cast<std::size_t>(process)];
    std::optional<TaskIdentity> next;  // given to it, and not begun
    if (process == UserProcess::Compute && compute_slot_) next = compute_slot_->id;
    if (process == UserProcess::Split && split_slot_) next = split_slot_->id;
    if (process == UserProcess::Join && !to_join_.empty()) next = to_join_.front()->id;
    if (!has_process(process)) {
        const std::string has = at_work ? ", and had " + task_text(*at_work) : "";
        return "is not there" + has + (next ? ", and " + task_text(*next) + " waits for it" : "");
    }
    if (at_work) return "is in " + task_text(*at_work);
    if (next) return "does not take " + task_text(*next);
    if (process != UserProcess::Join || joins_.empty()) return {};
    const JoinSet& first = *joins_.begin()->second;
    return "waits for " + std::to_string(first.missing) + " of " + std::to_string(first.parts.size()) + " results of " +
           task_text(first.id);
}

std::string TrekNode::master_standing(UserProcess process) const {
    const bool there = has_process(process);
    const std::string all = " of " + std::to_string(setup_.config.tasks);
    if (process == UserProcess::Generate) {
        if (next_task_ >= setup_.config.tasks && !there) return {};
        const std::string sent = ", has given out " + std::to_string(next_task_) + all + " tasks";
        if (!there) return "is not there" + sent;
        return (buffer_.size() >= setup_.config.buffers ? "waits for a free buffer" : "makes no task") + sent;
    }
    const std::string taken = ", has taken " + std::to_string(taken_) + all + " results";
    if (!there) return "is not there" + taken;
    return (collected_.empty() ? "waits for a result" : "takes no result, and " + std::to_string(collected_.size()) + " wait") +
           taken;
}

void TrekNode::add_standing(std::vector<Standing>& to) const {
    const auto add = [&](UserProcess process, std::string text) {
        if (!text.empty()) to.push_back({kernel_.node(), process, std::move(text)});
    };
    if (is_manager()) {
        for (const UserProcess process : {UserProcess::Generate, UserProcess::PostProcess})
            add(process, master_standing(process));
        return;
    }
    add(UserProcess::Compute, worker_standing(UserProcess::Compute));
    if (!divides() || children_.empty()) return;
    for (const UserProcess process : {UserProcess::Split, UserProcess::Join}) add(process, worker_standing(process));
}

}  // namespace trek_kernel
