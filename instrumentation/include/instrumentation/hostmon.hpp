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
    // They came, and not as they had left the node.
    virtual void damaged(vocabulary::NodeId node, std::uint32_t first_seq, std::uint32_t last_seq) = 0;
    // `dropped_messages`: what the node's kernel and programs could not use, until then.
    virtual void end(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages) = 0;
};

// Runs for ever. What is damaged is dropped (Kernel::drop), and never believed.
void hostmon(trollius_os::Api& api, TraceSink& sink);
// Sends one command to each node, in order; precondition: there is one. Nodes that are told to begin answer, and the last is
// told when all others have: tasks flow only once the manager may record them, and by then everybody else may.
// `silent`, when given, holds at any moment the nodes that were told and have not answered: a command or an answer that is lost
// or damaged is not repeated, and this says where it happened.
void monctrl(trollius_os::Api& api, Control command, const std::vector<vocabulary::NodeId>& nodes,
             std::vector<vocabulary::NodeId>* silent = nullptr);

}  // namespace instrumentation
