#include <trek_kernel/application.hpp>
#include <trek_kernel/bug_list.hpp>

namespace trek_kernel {

const char* name_of(UserProcess process) {
    switch (process) {
        case UserProcess::Generate:
            return "data_generator()";
        case UserProcess::Compute:
            return "comp_fn()";
        case UserProcess::PostProcess:
            return "result_receiver()";
        case UserProcess::Split:
            return "split_fn()";
        case UserProcess::Join:
            return "join_fn()";
    }
    return "";
}

void Context::strike(int bug, int planted, const std::string& detail) {
    const BugStruck what{api_.node(), process_, identity_.task, identity_.subtask, bug, planted, detail};
    for (Witness* witness : witnesses_) witness->on_bug(what, api_.port().now());
}

bool is_created(Application& application, UserProcess process, trollius_os::Kernel& kernel,
                const std::vector<Witness*>& witnesses) {
    if (application.starts(kernel.node(), process)) return true;
    const BugStruck what{kernel.node(), process, 0, 0, static_cast<int>(Bug::NeverStarted)};
    for (Witness* witness : witnesses) witness->on_bug(what, kernel.port().now());
    return false;
}

std::vector<Bytes> Application::split(Context&, std::span<const std::byte> task, std::size_t degree) {
    return std::vector<Bytes>(degree, Bytes(task.begin(), task.end()));
}

Bytes Application::join(Context&, const std::vector<Bytes>& results) {
    return results.front();
}

}  // namespace trek_kernel
