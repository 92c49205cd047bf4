// TraceFeed: gets what the host receives from the monitor, block by block, in the order of arrival. The Collector passes it on.
#pragma once

#include <cstdint>
#include <span>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace tmon_streams {

class TraceFeed {
public:
    virtual ~TraceFeed() = default;
    // Records first_seq, first_seq + 1, ... of a node, valid during the call. came_us: the host's clock; 0 when not known.
    virtual void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                         std::uint64_t came_us) = 0;
    virtual void lost(const trace_record::LossRange& range) = 0;
    virtual void ended(std::uint16_t node, std::uint32_t total_records) = 0;
    // Records of the node that come later were made at `before_us` of its clock or after it. Only with monitor.heartbeat.
    virtual void heartbeat([[maybe_unused]] std::uint16_t node, [[maybe_unused]] std::uint64_t before_us,
                           [[maybe_unused]] std::uint64_t came_us) {}
    // The host's clock at the loss or end that comes next.
    virtual void moment([[maybe_unused]] std::uint64_t came_us) {}
};

}  // namespace tmon_streams
