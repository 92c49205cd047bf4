// TaskLedger: the manager's account of the tasks under way.
#pragma once

#include <cstdint>

#include <boost/container/flat_set.hpp>

#include <trek_kernel/farm_state.hpp>

#include "bundle.hpp"

namespace trek_kernel {

class TaskLedger {
public:
    explicit TaskLedger(std::uint32_t granularity) : granularity_(granularity) {}

    void issued(const Item& message) { account_.issued += tasks_in(message, granularity_); }
    // The message goes to a child, or to the manager's own computation.
    void handed_out(const Item& message) {
        for_each_part(message.id, message.body, granularity_,
                      [&](const TaskIdentity& id, const auto&) { outstanding_.insert(outstanding_.end(), id.task); });
    }
    // Each task handed out comes back once, complete. False: the result stems from a damaged message and ends no task.
    bool comes_back(const TaskIdentity& result) {
        if (result.subtask != 0 || outstanding_.erase(result.task) == 0) {
            ++account_.unexpected;
            return false;
        }
        ++account_.completed;
        if (granularity_ > 1) account_.back.push_back(result.task);
        return true;
    }
    const TaskAccount& account() const { return account_; }

private:
    TaskAccount account_;
    boost::container::flat_set<std::uint32_t> outstanding_;
    std::uint32_t granularity_;
};

}  // namespace trek_kernel
