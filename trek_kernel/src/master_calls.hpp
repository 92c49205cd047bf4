// MasterCalls: the manager's side of do_task() and get_result().
#pragma once

#include <cstdint>
#include <span>

#include "node_desk.hpp"

namespace trek_kernel {

class MasterCalls {
public:
    explicit MasterCalls(NodeDesk& desk) : desk_(desk), forming_(desk.config.granularity) {}

    void put_task(Api& api, std::span<const std::byte> task, const Output& how);
    void flush_tasks(Api& api);  // hands over the last bundle, even if it is not full
    Bytes take_result(Api& api, TaskIdentity* whose);
    std::uint32_t next_task() const { return next_task_; }
    std::uint32_t taken() const { return taken_; }

private:
    NodeDesk& desk_;
    Bundler forming_;  // tasks of an incomplete bundle
    std::uint32_t next_task_ = 0, taken_ = 0;
};

}  // namespace trek_kernel
