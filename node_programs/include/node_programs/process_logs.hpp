// ProcessLogs: the logs of the processes of a run, for flowback. A log outlives its process: parts of it may be on their way.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include <flowback_unload/log_keeping.hpp>
#include <vocabulary/ids.hpp>

namespace node_programs {

class ProcessLogs {
public:
    explicit ProcessLogs(flowback_unload::LogKeeping keeping) : keeping_(std::move(keeping)) {}

    // The process of this id begins: "n3.p7". Null for a second one with the id of one that has ended: parts of that one's log
    // may be on their way.
    std::shared_ptr<user_programs::KeptLog> begin(vocabulary::NodeId node, vocabulary::ProcessId pid);
    // When the run is over: the logs are complete. Cost: the last blocks of each.
    user_programs::LogSums finish();

private:
    flowback_unload::LogKeeping keeping_;
    std::map<std::pair<vocabulary::NodeId, vocabulary::ProcessId>, std::shared_ptr<user_programs::KeptLog>> all_;
};

}  // namespace node_programs
