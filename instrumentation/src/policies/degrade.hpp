// Degrade: drops detail first. The skeleton, the sends and receives of tasks, stays while there is any other record. Next it
// drops the oldest record of a task that has a newer one, so the last event of each task on the node stays. At last it drops
// the newest record.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <instrumentation/buffer_policy.hpp>

namespace instrumentation {

class Degrade final : public BufferPolicy {
public:
    Choice when_full(const trace_record::Event& event, const boost::circular_buffer<trace_record::Event>& buffered) override;

private:
    // Task and sub-task, with their index. A member, so that its memory is reused.
    std::vector<std::pair<std::uint64_t, std::size_t>> tasks_;
};

}  // namespace instrumentation
