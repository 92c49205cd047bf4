#include <node_programs/process_logs.hpp>

#include <string>

namespace node_programs {

std::shared_ptr<user_programs::KeptLog> ProcessLogs::begin(vocabulary::NodeId node, vocabulary::ProcessId pid) {
    auto& its = all_[{node, pid}];
    if (its != nullptr) return nullptr;
    const std::string name = "n" + std::to_string(node.value()) + ".p" + std::to_string(pid.value());
    its = keeping_.begin({.name = name}, node, pid.value());
    return its;
}

user_programs::LogSums ProcessLogs::finish() {
    user_programs::LogSums sums;
    for (const auto& [which, log] : all_) sums.add(log->finish());
    all_.clear();
    return sums;
}

}  // namespace node_programs
