// WaitingResults: results that were sent and may wait without a record of their arrival. The sender records a result when its
// neighbour has it, and the neighbour when it has room for it (trek_kernel/src/link_reader.cpp). Meanwhile the link takes no
// other message, so it can only be the last result of a worker. Private: completion.cpp and histories.cpp use it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

class WaitingResults {
public:
    // tasks: a task_view(). Cost: linear in the records.
    WaitingResults(const tmon_streams::Trace& tasks, const farm_spec::FarmTree& tree);

    // True when it is the last result of this worker that is on record.
    bool may_be(std::uint16_t worker, std::uint32_t task, SubTaskId subtask) const;
    // True when the worker may have lost the record of a later result.
    bool may_be_lost(std::uint16_t worker) const { return later_is_lost_[worker]; }

private:
    std::vector<std::optional<Event>> last_;  // by worker
    std::vector<bool> later_is_lost_;
};

}  // namespace tmon_detrek
