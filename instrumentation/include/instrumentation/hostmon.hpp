// hostmon: the collecting side on the host, a process of the host's kernel. The records it receives go to a TraceSink, which
// the collector implements. The commanding side is monctrl.hpp.
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
    // Numbers without a gap. unloaded_us: the node's clock when its buffer manager began to pack the message.
    virtual void receive(vocabulary::NodeId node, std::span<const trace_record::Event> events, std::uint64_t unloaded_us) = 0;
    // As the node reports it; cause Damaged: the records came, but not as they had left the node.
    virtual void lost(const trace_record::LossRange& range) = 0;
    // `dropped_messages`: the messages that the node's kernel and programs could not use, until then.
    virtual void end(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages) = 0;
};

// Runs for ever. A damaged message is dropped (Kernel::drop), and never believed.
void hostmon(trollius_os::Api& api, TraceSink& sink);

}  // namespace instrumentation
