// Kernel: the rendez-vous server of one Node. It synchronises and copies between processes of the same node; everything else is
// a process (services.hpp). Matching: events equal and types meet. Among candidates the highest kernel priority goes first,
// then first come (LAM 7.1.4, the same in Trollius 2.2), or the choice of a DeliveryPolicy. Cost of a call: half a rendez-vous
// on each side, plus the copy for the side that comes second.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <trollius_os/costs.hpp>
#include <trollius_os/delivery_policy.hpp>
#include <trollius_os/errors.hpp>
#include <trollius_os/id_table.hpp>
#include <trollius_os/message.hpp>
#include <trollius_os/node_port.hpp>
#include <trollius_os/probe_point.hpp>
#include <trollius_os/process.hpp>
#include <trollius_os/witness.hpp>

namespace trollius_os {

namespace services {
class BufferPool;
}

struct ProcessSpec {
    std::string name;
    Priority priority = Priority::Low;
    int kernel_priority = 0;        // user processes attach at 0
    std::uint64_t stack_bytes = 0;  // modelled memory, freed when the process ends
    ProcessCode code;
    std::uint64_t taken_bytes = 0;  // as the stack, but taken already; if create() refuses, they stay taken
    // Set: a thread of that process (kpar_Na, a thread of medium weight). It has a stack, an id and events of its own, and
    // no slot of the process table. It ends with its process, whose signals it gets too. `state` does not list it.
    Process* thread_of = nullptr;
    // With thread_of: a heavy thread (kpar_Fe), which has a slot of its own, too, and a line of `state`.
    bool heavy = false;
};

// A process that has asked bufferd for a message. The request ends when it has one.
struct BufferAsker {
    vocabulary::ProcessId pid;
    std::uint32_t request = 0;  // number of the request, counted by process from 1; 0: it waits for another service
};

class Circuits;

class Kernel {
public:
    Kernel(NodePort& port, NodeId node, const KernelCosts& costs);
    ~Kernel();

    NodeId node() const { return node_; }
    bool has_system_memory() const { return has_system_memory_; }  // kernel.system_memory fits into the node's RAM
    NodePort& port() { return port_; }
    const KernelCosts& costs() const { return costs_; }
    // The host, which takes files and printed text.
    NodeId host() const { return host_; }
    void set_host(NodeId host) { host_ = host; }
    // Both must outlive the kernel. Witnesses are called in the order of their addition.
    void set_probe(ProbePoint* probe) { probe_ = probe; }
    void add_witness(Witness& witness) { witnesses_.push_back(&witness); }
    // The acting process calls this.
    Task<> tell(const KernelEvent& what, Calls& calls) {
        if (!witnesses_.empty()) tell_witnesses(what, calls);
        return probe_ != nullptr ? tell_probe(what, calls) : Task<>();
    }
    bool is_watched() const { return probe_ != nullptr || !witnesses_.empty(); }
    // The tag of the message that the process begins to send; empty while no probe point wants tags.
    std::optional<MessageTag> next_tag(const Process& sender) {
        if (probe_ == nullptr || !probe_->tags(sender)) return std::nullopt;
        return MessageTag{.sender = node_, .number = ++tagged_};
    }
    // The casts that this node is in, as castd has joined them. Null: not in it.
    struct CastUse {
        std::vector<NodeId> nodes;           // in the order of its creation
        std::uint32_t begun = 0, ended = 0;  // reductions of programs on this node
    };
    CastUse* cast_use(NodeId cast) {
        const auto found = casts_.find(cast);
        return found == casts_.end() ? nullptr : &found->second;
    }
    void join_cast(NodeId cast, std::vector<NodeId> nodes) { casts_[cast] = {std::move(nodes)}; }
    void leave_cast(NodeId cast) { casts_.erase(cast); }
    void set_monitor(MonitorCalls* monitor) { monitor_ = monitor; }
    MonitorCalls* monitor() const { return monitor_; }  // nullptr: the node has no monitor
    // The process that reads the link calls this.
    void packet_arrived(LinkNo link, SimTime time, const Message& packet) const {
        for (Witness* witness : witnesses_) witness->on_packet({node_, link, time, packet});
    }

    // The policy takes effect now and must outlive the kernel. nullptr: first come.
    void set_delivery(DeliveryPolicy* policy) { delivery_ = policy; }

    // bufferd's, for buffered_packets(). It outlives the kernel's processes.
    void set_pool(const services::BufferPool* pool) { pool_ = pool; }
    const services::BufferPool* pool() const { return pool_; }

    // Counts a useless or lost message, tells the witnesses, and drops it. `where` and `why` are literals. It takes no modelled
    // time: the real machine would not notice such a message, or would hang.
    void drop(const char* where, const char* why, std::int64_t task = -1, std::uint32_t subtask = 0);
    std::uint64_t dropped_damaged() const { return dropped_damaged_; }

    // nullptr when the node lacks memory for the stack, or room for another process; refusal() says which. A process takes the
    // lowest free slot of the process table. The pointer is good while the process lives and, after its end, until the next
    // create() on this node. Whoever looks later keeps the pid and asks find().
    Process* create(ProcessSpec spec);
    Error refusal() const { return refusal_; }  // of the last create() that returned nullptr
    // It never runs again; its blocking operation is withdrawn. A rendez-vous that was being paid for happens now: on the real
    // machine nobody runs in the middle of one. A calling process has settled.
    void doom(Process& process) { doom(process, nullptr); }
    // Finds threads too. nullptr: no such process, or it has ended and its slot has another.
    Process* find(vocabulary::ProcessId pid);
    void forget_routes();  // empties the route caches of the node's processes
    // A service that begins with the first message for its event: until then it costs nothing and has no slot. `begin` creates
    // it; false: the node has no room, and the next message tries again.
    void add_dormant(EventNo event, std::function<bool()> begin) { dormant_[event] = std::move(begin); }
    void begin_service(EventNo event);                                  // does nothing if that is no dormant service
    Circuits& circuits();                                               // that touch this node (circuits.hpp)
    const Circuits* known_circuits() const { return circuits_.get(); }  // nullptr: there has been none
    // The process table, ended processes included. The index that commands print is the place here plus one.
    const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
    const std::vector<std::unique_ptr<Process>>& threads() const { return threads_; }  // of all processes, ended ones included
    // As `state` shows it: state and event are those of the process or its thread, whichever has used the kernel last. So does
    // the thesis: the event of each slave in section 6.1 is one of a thread.
    ProcessStatus status(const Process& process) const;

    // Sends a signal (signals.hpp). Die ends a process that neither handles nor blocks it. Any other takes a blocked process
    // off its call. A rendez-vous that is being paid for happens. It reaches the threads of the process too. A calling process
    // has settled, and is not the target. `caller`: a thread of the target that calls this.
    void signal(Process& process, Signal number, Process* caller = nullptr);
    // Blocks the caller on a reserved event until it has a signal that it does not block. Half a rendez-vous.
    Task<> await_signal(Process& caller, EventNo reserved);

    // Local rendez-vous by the calling process. With `wait` false it returns WouldBlock instead of blocking. A pending signal
    // comes first: the process runs its handlers, then the call is made again, or returns Interrupted.
    Task<Outcome> send(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait);
    // Sends `out` and receives `in`, as one act: the caller is a receiver from the moment that its message is taken. So a
    // server may answer without waiting, and never hangs on a caller that was stopped. Two rendez-vous. WouldBlock: `out` was
    // not sent. After a signal the call goes on with the half that is not done, so `out` is sent once. Interrupted does not
    // tell which half that was. While handlers run, an answer that does not wait finds nobody. Likewise when another process
    // offers a message for `in` by then: the caller takes that one.
    Task<Outcome> send_receive(Process& caller, Message& out, Message& in, bool wait);
    // For an answer to a process that will receive it. As send(), but returns WouldBlock when the process has ended, or ends
    // meanwhile. With a request's number also when it has got its message from elsewhere. So the caller never waits for a
    // receive that does not come.
    Task<Outcome> send_to_asker(Process& caller, EventNo event, std::int32_t type, Message& message, const BufferAsker& asker);
    // True when a blocked process sends a message that a receive of this event and type would take.
    bool is_offered(EventNo event, std::int32_t type) const;
    bool still_asks(const BufferAsker& asker);
    // `forwarding`: keeps the message's own destination, for link processes and buffers.
    Task<Outcome> receive(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait, bool forwarding);

    std::uint64_t rendezvous_count() const { return rendezvous_; }
    // Processor time of all rendez-vous that moved messages of that account, both sides.
    SimTime rendezvous_time(Account account) const { return lasts(rendezvous_time_[account]); }
    SimTime lasts(SimTime stated) const { return port_.lasts(stated); }  // node_port.hpp

private:
    struct Mailbox {  // processes blocked on one event, in matching order
        std::vector<Process*> senders, receivers;
    };

    Task<> live(Process& process);
    void start(Process& process, Priority priority);
    Process* free_slot(const ProcessSpec& spec);
    void signal_threads(const Process& process, Signal number, Process* caller);
    bool has_threads(const Process& process) const;
    void end_threads(const Process& process, Process* caller);
    void deliver(Process& process, Signal number, Process* caller);
    vocabulary::ProcessId next_pid();
    void bury_the_ended();
    void retire(Process& process, Process* caller = nullptr);
    void doom(Process& process, Process* caller);
    void finish_its_rendezvous(Process& process);
    Task<bool> interrupted(Process& caller);
    bool withdraw(Process& process);
    void stop_asking(Process& process);
    friend class Calls;
    void tell_witnesses(const KernelEvent& what, Calls& calls) const;
    Task<> tell_probe(KernelEvent what, Calls& calls);
    Task<Outcome> send_while(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait,
                             const BufferAsker* asker);
    Task<Outcome> receive_while(Process& caller, EventNo event, std::int32_t type, Message& message, bool wait,
                                bool forwarding);
    using Waiting = std::vector<Process*>;
    static bool meet(const Process& one, const Process& other);
    Process* take_match(const Process& caller, Waiting& waiting);
    Waiting::iterator choose(const Process& caller, Waiting& waiting, Waiting::iterator first);
    static void enqueue(Waiting& waiting, Process& process);
    bool expects(const BufferAsker& asker);
    void refuse_offers_to(vocabulary::ProcessId pid);
    Task<Outcome> refuse_call();
    void finish_rendezvous(Process& payer);
    void exchange(Process& sender, Message& from, Process& receiver, Message& to);
    NodePort::Step block(Process& caller, ProcessState state);
    bool await_reply(Process& sender);
    NodePort::Wake release(Process& partner);
    void take_over_account(Process& caller, const Message& message);
    NodePort::Step pay_match(Cycles own_half, const Process& receiver, const Message& from);

    NodePort& port_;
    NodeId node_, host_;
    KernelCosts costs_;
    Cycles half_;
    ProbePoint* probe_ = nullptr;
    std::vector<Witness*> witnesses_;
    MonitorCalls* monitor_ = nullptr;
    DeliveryPolicy* delivery_ = nullptr;
    const services::BufferPool* pool_ = nullptr;
    std::vector<std::unique_ptr<Process>> processes_, threads_;
    IdTable<EventNo, Mailbox> mailboxes_;
    // Every PID that the thesis prints is 1 modulo 4: a workspace address with the low-priority bit.
    static constexpr std::uint32_t first_pid = 263'521;
    std::uint32_t next_pid_, pid_round_ = 0;
    std::uint32_t tagged_ = 0;  // messages that have a tag
    std::map<NodeId, CastUse> casts_;
    Error refusal_ = Error::None;
    std::uint64_t rendezvous_ = 0, dropped_damaged_ = 0;
    bool has_system_memory_ = false;
    std::map<EventNo, std::function<bool()>> dormant_;
    std::unique_ptr<Circuits> circuits_;              // made when the first is opened
    vocabulary::ByAccount<SimTime> rendezvous_time_;  // stated for a T800-20
};

}  // namespace trollius_os
