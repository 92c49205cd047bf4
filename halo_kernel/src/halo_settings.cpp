#include <halo_kernel/halo_settings.hpp>

namespace halo_kernel {

const char* name_of(Process process) {
    switch (process) {
        case Process::InitialFn:
            return "initial_fn()";
        case Process::StepFn:
            return "step_fn()";
        case Process::Exchange:
            break;
    }
    return "Exchanging";
}

const char* word_of(Process process) {
    switch (process) {
        case Process::InitialFn:
            return "initial_fn";
        case Process::StepFn:
            return "step_fn";
        case Process::Exchange:
            break;
    }
    return "exchange";
}

trek_kernel::UserProcess as_user_process(Process process) {
    using trek_kernel::UserProcess;
    switch (process) {
        case Process::InitialFn:
            return UserProcess::Generate;
        case Process::StepFn:
            return UserProcess::Compute;
        case Process::Exchange:
            break;
    }
    return UserProcess::PostProcess;
}

const char* word_of(BugKind kind) {
    switch (kind) {
        case BugKind::Hang:
            return "hang";
        case BugKind::Crash:
            return "crash";
        case BugKind::Lose:
            break;
    }
    return "lose";
}

std::string bug_text(const HaloBug& bug) {
    const std::string on = " on n" + std::to_string(bug.node.value()), number = std::to_string(bug.step);
    if (bug.kind == BugKind::Lose) return "lost message of exchange " + number + on + " to n" + std::to_string(bug.to.value());
    std::string text = std::string(word_of(bug.kind)) + " in ";
    if (bug.process == Process::Exchange) return text + "exchange " + number + on;
    text += name_of(bug.process);
    return text + (bug.process == Process::StepFn ? " of step " + number : "") + on;
}

}  // namespace halo_kernel
