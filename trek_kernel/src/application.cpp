#include <trek_kernel/application.hpp>

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

void Context::strike(int bug) {
    for (TrekObserver* observer : observers_)
        observer->on(BugStruck{api_.node(), process_, identity_.task, identity_.subtask, bug}, api_.port().now());
}

std::vector<Bytes> Application::split(Context&, std::span<const std::byte> task, std::size_t degree) {
    return std::vector<Bytes>(degree, Bytes(task.begin(), task.end()));
}

Bytes Application::join(Context&, const std::vector<Bytes>& results) {
    return results.front();
}

}  // namespace trek_kernel
