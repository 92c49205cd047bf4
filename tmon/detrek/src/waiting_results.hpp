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
    // True when lost records leave open whether some last result arrived.
    bool are_open(const tmon_streams::Trace& tasks, const EventGraphs& graphs) const;

private:
    std::vector<std::optional<Event>> last_;  // by worker
};

}  // namespace tmon_detrek
