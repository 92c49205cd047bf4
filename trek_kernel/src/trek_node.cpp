#include "trek_node.hpp"

#include <utility>

#include "standing.hpp"

namespace trek_kernel {

using trollius_os::Priority;

TrekNode::TrekNode(trollius_os::Calls& program, const FarmSetup& farm, Spares& spares)
    : program_(program.process()),
      desk_(program.kernel(), farm, spares),
      reader_(desk_),
      writer_(desk_),
      data_manager_(desk_),
      result_manager_(desk_),
      computation_(desk_),
      ending_(desk_),
      splitter_(desk_),
      joiner_(desk_),
      master_calls_(desk_) {
    desk_.ending = &ending_;
    if (desk_.distribution->steals()) desk_.stealing = &stealing_.emplace(desk_);
    if (desk_.config.survives) desk_.recovery = &recovery_.emplace(desk_);
}

void TrekNode::spawn(const char* name, Priority priority, trollius_os::ProcessCode code) {
    if (desk_.kernel.create({.name = name,
                             .priority = priority,
                             .stack_bytes = desk_.costs.process_stack,
                             .code = std::move(code),
                             .thread_of = &program_}) == nullptr)
        short_of_memory_ = true;
}

void TrekNode::spawn_user(const char* name, Priority priority, UserProcess process, trollius_os::ProcessCode code) {
    if (is_created(*desk_.farm.application, process, desk_.kernel, desk_.farm.witnesses))
        spawn(name, priority, std::move(code));
}

bool TrekNode::start() {
    if (desk_.place.parent) {
        spawn("trek.in", Priority::High, [this](Calls& calls) { return reader_.run(calls, *desk_.place.parent, nullptr); });
        spawn("trek.out", Priority::High, [this](Calls& calls) { return writer_.run_to_parent(calls); });
    }
    for (Child& child : desk_.children) {
        spawn("trek.in", Priority::High, [this, c = &child](Calls& calls) { return reader_.run(calls, c->at, c); });
        spawn("trek.out", Priority::High, [this, c = &child](Calls& calls) { return writer_.run_to_child(calls, *c); });
    }
    const Priority managers = desk_.config.managers_high ? Priority::High : Priority::Low;  // and split and join
    spawn("trek.data", managers, [this](Calls& calls) { return data_manager_.run(calls); });
    spawn("trek.result", managers, [this](Calls& calls) { return result_manager_.run(calls); });
    if (recovery_ && !desk_.children.empty())
        spawn("trek.watch", Priority::High, [this](Calls& calls) { return recovery_->run_watchdog(calls); });
    const auto compute = [this](Api& api) { computation_.run(api); };
    if (desk_.is_manager) {
        if (recovery_) spawn("trek.compute", Priority::Low, compute);
        return !short_of_memory_;
    }
    spawn_user("trek.compute", Priority::Low, UserProcess::Compute, compute);
    if (desk_.divides && !desk_.children.empty()) {
        spawn_user("trek.split", managers, UserProcess::Split, [this](Api& api) { splitter_.run(api); });
        spawn_user("trek.join", managers, UserProcess::Join, [this](Api& api) { joiner_.run(api); });
    }
    return !short_of_memory_;
}

void TrekNode::add_standing(std::vector<Standing>& to) const {
    trek_kernel::add_standing(to, desk_, master_calls_);
}

}  // namespace trek_kernel
