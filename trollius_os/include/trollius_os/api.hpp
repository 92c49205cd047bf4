// Api: the calls of a program with a stack of its own, by layer; a program acts only through them. Each Process has one Api,
// which its code gets as an argument. Calls block unless they say otherwise. calls.hpp says what each does and costs, and
// implements it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <trollius_os/calls.hpp>

namespace trollius_os {

class Api {
public:
    explicit Api(Calls& calls) : calls_(calls) {}

    Calls& calls() { return calls_; }
    Kernel& kernel() { return calls_.kernel(); }
    const Kernel& kernel() const { return std::as_const(calls_).kernel(); }
    Process& process() { return calls_.process(); }
    NodePort& port() { return calls_.port(); }
    NodeId node() const { return calls_.node(); }
    vocabulary::ProcessId pid() const { return calls_.pid(); }

    // Processor
    void charge(SimTime duration) { calls_.charge(duration); }
    void charge_for(Account account, SimTime duration, std::uint8_t what = 0) { calls_.charge_for(account, duration, what); }
    void compute(SimTime duration) { calls_.compute(duration).get(); }
    void settle() { calls_.settle().get(); }
    void wait() { calls_.wait().get(); }
    void yield() { calls_.yield().get(); }
    void wake(Thread& thread) { calls_.wake(&thread).get(); }
    void wait_until_clock(std::uint64_t clock_us) { port().wait_until_clock(clock_us).get(); }

    // Local
    Outcome ksend(Message& message, bool wait = true) { return calls_.ksend(message, wait).get(); }
    Outcome krecv(Message& message, bool wait = true) { return calls_.krecv(message, wait).get(); }

    Outcome ksr(Message& out, Message& in, bool wait = true) { return calls_.ksr(out, in, wait).get(); }

    // Signals
    SignalAction ksignal(Signal signal, SignalAction action) { return calls_.ksignal(signal, std::move(action)); }
    SignalMask ksigblock(SignalMask more) { return calls_.ksigblock(more).get(); }
    SignalMask ksigsetmask(SignalMask mask) { return calls_.ksigsetmask(mask).get(); }
    SignalMask ksigretry(SignalMask more) { return calls_.ksigretry(more); }
    SignalMask ksigsetretry(SignalMask mask) { return calls_.ksigsetretry(mask); }
    Outcome kpause() { return calls_.kpause().get(); }
    Error kdoom(vocabulary::ProcessId pid, std::int32_t number) { return calls_.kdoom(pid, number).get(); }
    std::optional<ProcessStatus> kstate(vocabulary::ProcessId pid) { return calls_.kstate(pid).get(); }

    // Datalink
    Outcome dsend(Message& message, bool wait = true) { return calls_.dsend(message, wait).get(); }
    Outcome frecv(Message& message, EventNo at, std::int32_t classes, bool wait = true) {
        return calls_.frecv(message, at, classes, wait).get();
    }

    // Network
    Outcome nsend(Message& message) { return calls_.nsend(message).get(); }
    bool answer(Message& message) { return calls_.answer(message).get(); }
    Outcome nrecv(Message& message) { return calls_.nrecv(message).get(); }
    Outcome ntry_send(Message& message) { return calls_.ntry_send(message).get(); }
    Outcome ntry_recv(Message& message) { return calls_.ntry_recv(message).get(); }
    std::optional<Probed> nprobe(EventNo event, std::int32_t type) { return calls_.nprobe(event, type).get(); }

    // Transport
    Outcome tsend(Message& message) { return calls_.tsend(message).get(); }
    Outcome trecv(Message& message) { return calls_.trecv(message).get(); }

    // Physical
    bool circuit_send(LinkNo link, NodeId peer, const LinkPacket& packet) {
        return calls_.circuit_send(link, peer, packet).get();
    }
    LinkReceived circuit_receive(LinkNo link, NodeId peer, const LinkRoom& room) {
        return calls_.circuit_receive(link, peer, room).get();
    }

    // Monitor: both do nothing on a node without a monitor.
    void user_event(std::uint32_t number, std::uint64_t value) {
        if (MonitorCalls* monitor = kernel().monitor()) monitor->user_event(calls_, number, value).get();
    }
    // False: `classes` has an unknown name (MonitorCalls).
    bool switch_event_classes(const std::string& classes, bool on) {
        MonitorCalls* monitor = kernel().monitor();
        return monitor == nullptr || monitor->switch_classes(calls_, classes, on);
    }

    EventNo route(NodeId node) { return calls_.route(node).get(); }

private:
    Calls& calls_;
};

}  // namespace trollius_os
