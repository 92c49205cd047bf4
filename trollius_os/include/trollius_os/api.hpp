// Api: the calls of a program, by layer; a program acts only through them. Each Process has one Api, which its code gets as an
// argument. Every call charges its cost from the cost table. Each operation takes as many rendez-vous as in Trollius
// (docs/model/timing_model.md). Calls block unless they say otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <trollius_os/kernel.hpp>
#include <trollius_os/message.hpp>

namespace trollius_os {

class Api {
public:
    Api(Kernel& kernel, Process& process) : kernel_(kernel), process_(process), port_(kernel.port()) {}

    Kernel& kernel() { return kernel_; }
    const Kernel& kernel() const { return kernel_; }
    Process& process() { return process_; }
    NodePort& port() { return port_; }
    NodeId node() const { return kernel_.node(); }
    vocabulary::ProcessId pid() const { return process_.pid(); }

    // Processor
    void charge(SimTime duration) { port_.charge(port_.cycles(duration)); }
    void charge_for(Account account, SimTime duration, std::uint8_t what = 0) {
        port_.charge_for(account, port_.cycles(duration), what);
    }
    void compute(SimTime duration) { port_.compute(port_.cycles(duration)); }

    // Local: rendez-vous between processes of this node.
    Outcome ksend(Message& message, bool wait = true) {
        return kernel_.send(process_, message.event, message.type, message, wait);
    }
    Outcome krecv(Message& message, bool wait = true) {
        return kernel_.receive(process_, message.event, message.type, message, wait, false);
    }

    // Datalink: to the process that receives on message.datalink_event, usually the output process of a link. Cost: h + 1
    // rendez-vous over h hops.
    Outcome dsend(Message& message, bool wait = true);
    // For forwarding processes: takes any message sent to `at` with a matching class, and keeps its destination.
    Outcome frecv(Message& message, EventNo at, std::int32_t classes, bool wait = true) {
        return kernel_.receive(process_, at, classes, message, wait, true);
    }

    // Network: to any node, routed and, unless flags::no_buffer, buffered at every node but the sender's. A long message goes
    // as several packets, and packets of different senders may interleave. Returns when the last packet has left the caller.
    void nsend(Message& message);
    // As nsend(), for an answer to the sender that the request names. A damaged request may name an unreachable node. Then the
    // answer is dropped: false.
    bool answer(Message& message);
    // Receives into message.body and discards any surplus. length, type, flags and pouch are the sender's.
    void nrecv(Message& message);

    // Physical: a circuit, a link that two neighbours have to themselves. `peer` is the neighbour.
    bool circuit_send(LinkNo link, NodeId peer, const LinkPacket& packet);  // NodePort::link_send()
    LinkReceived circuit_receive(LinkNo link, NodeId peer, const LinkRoom& room);

    // Monitor: both do nothing on a node without a monitor.
    void user_event(std::uint32_t number, std::uint64_t value) {
        if (MonitorCalls* monitor = kernel_.monitor()) monitor->user_event(*this, number, value);
    }
    // False: `classes` has an unknown name (MonitorCalls).
    bool switch_event_classes(const std::string& classes, bool on) {
        MonitorCalls* monitor = kernel_.monitor();
        return monitor == nullptr || monitor->switch_classes(*this, classes, on);
    }

    // The event of the next process towards `node`: bufferd here, or a link's output. A route that is not cached costs two
    // rendez-vous with the router.
    EventNo route(NodeId node);

private:
    bool send_packets(Message& message, bool drop_unroutable);
    bool send_packet(Message& packet, bool drop_unroutable);

    Kernel& kernel_;
    Process& process_;
    NodePort& port_;
};

}  // namespace trollius_os
