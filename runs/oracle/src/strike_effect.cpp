#include "strike_effect.hpp"

#include <trek_kernel/bug_list.hpp>

namespace oracle {

using trek_kernel::Bug;
using trek_kernel::MasterMoment;
using trek_kernel::UserProcess;

StrikeEffects::StrikeEffects(const oracle::SessionResult& result) : result_(result) {
    for (const auto& [time, step] : result.truth.steps()) {
        const auto key = std::make_tuple(step.task, step.subtask, step.node.value(), step.process);
        if (step.moment == trek_kernel::Moment::Begin) {
            open_.insert(key);
        } else {
            open_.erase(key);
        }
    }
}

bool StrikeEffects::never_ended(const trek_kernel::BugStruck& bug) const {
    const auto in_own_code = [](const ground_truth::TrueMaster& master) {
        return master.last != MasterMoment::Called && master.last != MasterMoment::Returned;
    };
    if (bug.process == UserProcess::Generate) {  // it struck before the do_task() of this task
        const auto& generator = result_.truth.generator();
        return in_own_code(generator) && (!generator.task || *generator.task < bug.task);
    }
    if (bug.process == UserProcess::PostProcess) {
        const auto& receiver = result_.truth.receiver();
        return in_own_code(receiver) && receiver.task == bug.task;
    }
    return open_.count({bug.task, bug.subtask, bug.node.value(), bug.process}) > 0;
}

bool StrikeEffects::stopped_task(const ground_truth::TrueBug& strike) const {
    switch (static_cast<Bug>(strike.bug.bug)) {
        case Bug::NeverSent:
        case Bug::WrongOrder:
        case Bug::WrongIdentity:
        case Bug::WrongSize:
            return strike.bug.process != UserProcess::PostProcess;  // there the task is home
        case Bug::Duplicated:
        case Bug::Unexpected:
        case Bug::WrongResult:
        case Bug::WildWrite:
            return false;
        default:
            return never_ended(strike.bug);
    }
}

bool StrikeEffects::stopped_process(const ground_truth::TrueBug& strike) const {
    if (static_cast<Bug>(strike.bug.bug) == Bug::NeverStarted) return true;
    const bool waits = static_cast<Bug>(strike.bug.bug) == Bug::WaitsForEver && strike.bug.process == UserProcess::PostProcess;
    return waits || never_ended(strike.bug);
}

}  // namespace oracle
