// Degrade: detail goes first. The skeleton, the sends and receives of tasks, stays as long as there is any other record. Next
// go the oldest records of tasks that have a newer one, so that the last event of each task on the node stays. Last goes the
// newest.
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
    std::vector<std::pair<std::uint64_t, std::size_t>> tasks_;  // and sub-task, with their place; kept for its memory
};

}  // namespace instrumentation
