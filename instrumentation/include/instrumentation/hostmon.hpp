// The host's side of Tmon-de: hostmon collects, monctrl commands. Both are processes of the host's kernel; what hostmon
// receives goes to a TraceSink, which the collector implements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <instrumentation/node_monitor.hpp>
#include <trace_record/event.hpp>
#include <trollius_os/api.hpp>

namespace instrumentation {

class TraceSink {
public:
    virtual ~TraceSink() = default;
    virtual void receive(vocabulary::NodeId node, std::uint32_t first_seq, std::span<const trace_record::Event> events) = 0;
    virtual void dropped(vocabulary::NodeId node, std::uint32_t first_seq, std::uint32_t last_seq) = 0;
    virtual void end(vocabulary::NodeId node, std::uint32_t records) = 0;
};

// Runs for ever.
void hostmon(trollius_os::Api& api, TraceSink& sink);
// Sends one command to each node, in order; precondition: there is one. Nodes that are told to begin answer, and the last is
// told when all others have: tasks flow only once the manager may record them, and by then everybody else may.
void monctrl(trollius_os::Api& api, Control command, const std::vector<vocabulary::NodeId>& nodes);

}  // namespace instrumentation
