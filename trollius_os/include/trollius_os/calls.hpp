// Calls: the calls of a process that is a coroutine, by layer. It awaits each of them: `co_await calls.nrecv(message)`. Each
// charges its cost from the cost table, and takes as many rendez-vous as in Trollius (docs/model/timing_model.md).
//
// An Api (api.hpp) has the same calls for a process with a stack of its own, such as a user's program. There is one
// implementation of each, this one. Cost: a frame a call, unless it is a Step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <trollius_os/kernel.hpp>
#include <trollius_os/message.hpp>

namespace trollius_os {

// The head of a packet in the buffers. `more`: its message has more packets.
struct Probed {
    std::int32_t type = 0;
    std::uint32_t length = 0;
    bool more = false;
};

class Calls {
public:
    Calls(Kernel& kernel, Process& process) : kernel_(kernel), process_(process), port_(kernel.port()) {}

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
    NodePort::Step compute(SimTime duration) { return port_.compute(port_.cycles(duration)); }
    NodePort::Step settle() { return port_.settle(); }
    NodePort::Step wait() { return port_.wait(); }
    NodePort::Wake wake(Thread* thread) { return port_.wake(thread); }
    Task<> yield();

    // Local: rendez-vous between processes of this node.
    Task<Outcome> ksend(Message& message, bool wait = true) {
        return kernel_.send(process_, message.event, message.type, message, wait);
    }
    Task<Outcome> krecv(Message& message, bool wait = true) {
        return kernel_.receive(process_, message.event, message.type, message, wait, false);
    }

    // Sends `out` and receives `in` as one act (Kernel::send_receive()).
    Task<Outcome> ksr(Message& out, Message& in, bool wait = true) { return kernel_.send_receive(process_, out, in, wait); }

    // Signals (signals.hpp). Only kpause(), kdoom() and kstate() call the kernel and cost half a rendez-vous; the others take
    // no time. What the process does with a signal from now on. Returns what it did before.
    SignalAction ksignal(Signal signal, SignalAction action);
    // Holds signals back: more of them, or exactly these. Pending ones that it lets through are delivered now. Both return the
    // old mask.
    Task<SignalMask> ksigblock(SignalMask more);
    Task<SignalMask> ksigsetmask(SignalMask mask);
    // After these signals a call is made again; at first after all but Release. Both return the old mask.
    SignalMask ksigretry(SignalMask more);
    SignalMask ksigsetretry(SignalMask mask);
    Task<Outcome> kpause();  // waits for a signal; always Interrupted
    // Sends a signal to a process of this node, the caller if `pid` is 0. NotProcess, Invalid, or Service for a process of the
    // system.
    Task<Error> kdoom(vocabulary::ProcessId pid, std::int32_t number);
    Task<std::optional<ProcessStatus>> kstate(vocabulary::ProcessId pid);  // likewise; empty: no such process
    // A thread of the calling process (ProcessSpec::thread_of), or of the process that the caller is a thread of. `spec.name`
    // and priority are the process's. Half a rendez-vous [A]: it makes itself known to the kernel, as kstate() asks it.
    // `Weight::Light` costs nothing: the processor starts it, and the kernel learns nothing of it. nullptr: the node lacks
    // memory for the stack, or room (Kernel::refusal()).
    enum class Weight : std::uint8_t { Light, Medium, Heavy };
    Task<Process*> kpar(Weight weight, std::uint64_t stack_bytes, ProcessCode code);
    // The threads of the calling process end here. No time.
    Task<> end_threads();
    // `farewell` is called when a signal ends the process. The caller is the process itself, or the sender of the signal on its
    // node. nullptr: nobody waits for that.
    void set_farewell(Farewell farewell) { process_.farewell_ = farewell; }

    // Datalink: to the process that receives on message.datalink_event, usually the output process of a link. Cost: h + 1
    // rendez-vous over h hops.
    Task<Outcome> dsend(Message& message, bool wait = true);
    // For forwarding processes: takes any message sent to `at` with a matching class, and keeps its destination.
    Task<Outcome> frecv(Message& message, EventNo at, std::int32_t classes, bool wait = true) {
        return kernel_.receive(process_, at, classes, message, wait, true);
    }

    // Network: to any node, routed and, unless flags::no_buffer, buffered at every node but the sender's. A long message goes
    // as several packets, and packets of different senders may interleave. Returns when the last packet has left the caller.
    // Interrupted: nothing was sent; once the first packet has left, the call goes on after any signal.
    Task<Outcome> nsend(Message& message);
    // As nsend(), for an answer to the sender that the request names. A damaged request may name an unreachable node. Then the
    // answer is dropped: false. `tag`: that of a message which the caller passes on.
    Task<bool> answer(Message& message, const std::optional<MessageTag>& tag = {});
    // Receives into message.body and discards any surplus. length, type, flags and pouch are the sender's. Interrupted: nothing
    // was received, and no message is lost; once the first packet is here, the call goes on after any signal. Broken: the
    // packets of a message with flags::numbered were out of order. What came of it is lost. `length` is what was in order; the
    // packets left over are discarded by the next calls, each noted as dropped.
    Task<Outcome> nrecv(Message& message);
    // As nsend(), but WouldBlock, with nothing sent, if the process that takes the first packet does not wait for one. The
    // packets after the first wait.
    Task<Outcome> ntry_send(Message& message);
    // As nrecv(), but WouldBlock if no message is here. Without flags::no_buffer it probes first. If another process takes the
    // message meanwhile, it waits for the next one.
    Task<Outcome> ntry_recv(Message& message);
    // The first packet that the buffers would give to nrecv(); empty if there is none. Traffic past the buffers is not seen.
    // Two rendez-vous with bufferd.
    Task<std::optional<Probed>> nprobe(EventNo event, std::int32_t type);

    // Transport: three messages of the network layer. The sender waits until the receiver is there. The packets of one message
    // are never among those of another, because they go to an event of the receiver alone. Neither call has a time-out. Once
    // the first message has left the sender, or has come to the receiver, the call goes on after any signal. A handler that
    // runs meanwhile must not wait for an answer of its own.
    Task<Outcome> tsend(Message& message);
    Task<Outcome> trecv(Message& message);

    // Physical: a circuit, a link that two neighbours have to themselves. `peer` is the neighbour.
    Task<bool> circuit_send(LinkNo link, NodeId peer, LinkPacket packet);  // NodePort::link_send()
    Task<LinkReceived> circuit_receive(LinkNo link, NodeId peer, LinkRoom room);
    // The parts of both, for a process that does little else; a part without a probe costs no frame. A sender awaits
    // circuit_sends(), start_send(), port().link_send() and circuit_sent(). A receiver awaits circuit_receives(), settle(),
    // port().link_receive() until it is not `dropped`, and circuit_received(), with the tag behind the header (TaggedRoom).
    //
    // circuit_sends() puts the message's tag, if it has one, into the packet. `room` must outlive the send.
    Task<> circuit_sends(LinkNo link, NodeId peer, LinkPacket& packet, std::vector<std::byte>& room) {
        const std::optional<MessageTag> tag = kernel_.next_tag(process_);
        if (tag) [[unlikely]]
            packet = with_tag(packet, *tag, kernel_.costs().message_tag, room);
        return tell(KernelAct::SendCall, link, peer, packet.body.size(), tag);
    }
    NodePort::Step start_send(std::uint32_t messages) {
        port_.charge(port_.link_message_cost() * messages);  // set-up now and completion after it, in one piece
        return port_.settle();
    }
    Task<> circuit_sent(LinkNo link, NodeId peer, std::size_t bytes) { return tell(KernelAct::MessageSend, link, peer, bytes); }
    Task<> circuit_receives(LinkNo link, NodeId peer) { return tell(KernelAct::ReceiveCall, link, peer, 0); }
    Task<> circuit_received(LinkNo link, NodeId peer, std::size_t bytes, const std::optional<MessageTag>& tag) {
        return tell(KernelAct::MessageReceive, link, peer, bytes, tag);
    }
    // A packet over a link, with all its charges. The receiver has it whole.
    Task<bool> link_send(LinkNo link, const LinkPacket& packet);
    Task<LinkReceived> link_receive(LinkNo link, LinkChannel channel, const LinkRoom& room);

    // The event of the next process towards `node`: bufferd here, or a link's output. A route that is not cached costs two
    // rendez-vous with the router.
    Task<EventNo> route(NodeId node);

private:
    friend class Kernel;
    Task<> send_signal(Process& target, Signal signal);
    Task<bool> take_signals();
    Task<SignalMask> run_handlers();
    Task<> act_on(Signal signal);
    Task<> stop_until_release();
    Task<> end_by_signal(Signal signal);
    bool goes_on_receiving(bool begun) { return std::exchange(process_.asks_again_, false) || begun; }
    Task<> tell(KernelAct act, LinkNo link, NodeId peer, std::size_t bytes, const std::optional<MessageTag>& tag = {}) {
        if (!kernel_.is_watched()) return {};
        const auto length = static_cast<std::uint32_t>(bytes);
        return kernel_.tell({.act = act, .peer = peer, .event = datalink_event(link), .bytes = length, .tag = tag}, *this);
    }
    Task<> tell(KernelAct act, const Message& message, const std::optional<MessageTag>& tag) {
        return kernel_.tell({.act = act,
                             .peer = message.node,
                             .event = message.event,
                             .bytes = message.length,
                             .tag = tag,
                             .message = &message},
                            *this);
    }
    enum class Left { Sent, NoWay, WouldBlock, Interrupted };
    struct SendMode {
        bool drop_unroutable = false, wait = true, begun = false;
        std::optional<MessageTag> tag{};
    };
    Task<Outcome> send_message(Message& message, bool wait);
    Task<Left> send_packets(Message& message, SendMode mode);
    Task<Left> send_packet(Message& packet, SendMode mode);
    Task<Left> send_to_cast(const Message& message, SendMode mode);

    Kernel& kernel_;
    Process& process_;
    NodePort& port_;
};

}  // namespace trollius_os
