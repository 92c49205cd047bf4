// hostmon: the collecting side on the host, a process of the host's kernel. It passes received records to a TraceSink, which
// the collector implements. monctrl.hpp is the commanding side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <instrumentation/node_monitor.hpp>
#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>
#include <trollius_os/api.hpp>

namespace instrumentation {

class TraceSink {
public:
    virtual ~TraceSink() = default;
    // Records with consecutive numbers. unloaded_us: the node's clock when its buffer manager began to pack the message.
    virtual void receive(vocabulary::NodeId node, std::span<const trace_record::Event> events, std::uint64_t unloaded_us) = 0;
    // A loss as the node reports it. Cause Damaged: the records arrived, but changed on the way.
    virtual void lost(const trace_record::LossRange& range) = 0;
    // Records of the node that come later were made at `before_us` of its clock or after it.
    virtual void heartbeat([[maybe_unused]] vocabulary::NodeId node, [[maybe_unused]] std::uint64_t before_us) {}
    // `dropped_messages`: messages that the node's kernel and programs have dropped by then.
    virtual void end(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages) = 0;
};

// Never returns. It drops damaged messages (Kernel::drop).
void hostmon(trollius_os::Api& api, TraceSink& sink);

}  // namespace instrumentation
