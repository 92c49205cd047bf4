// LogKeeping: how the processes of a run keep their logs.
#pragma once

#include <memory>
#include <string>

#include <flowback_unload/log_unloading.hpp>
#include <user_programs/kept_log.hpp>

namespace flowback_unload {

struct LogKeeping {
    std::string folder, digest;  // where the logs go; of the program's module
    user_programs::LogStore store = user_programs::LogStore::Host;
    user_programs::LogCosts costs{};
    LogInbox* inbox = nullptr;  // of the host, for LogStore::Host; outlives the logs

    // The log of a process that begins. `its.program` is the digest. `number`: by which its node knows the process.
    std::unique_ptr<user_programs::KeptLog> begin(flowback_log::Recorder::Process its, vocabulary::NodeId node,
                                                  std::uint32_t number) const;
};

}  // namespace flowback_unload
