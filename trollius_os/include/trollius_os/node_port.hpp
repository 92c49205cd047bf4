// NodePort: the kernel's interface to a Node, the seam down to the hardware. trollius_hosted implements it on hw_model.
//
// A process has a stack of its own, or is a coroutine. Calls that may give the processor away return a Step or a Task. A
// coroutine awaits it. For a process with a stack the call itself blocks, and get() shows that it is over.
//
// Charging: charge() only sums. The process pays the sum in modelled time before its next act: settle(), wake(), link_send(),
// link_receive(). A process that waits with an unpaid sum pays it when it resumes. So one act costs one event.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <coroutines/task.hpp>
#include <trollius_os/accounts.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_os {

using coroutines::Task;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

enum class Priority : std::uint8_t { High = 0, Low = 1 };  // the transputer's two
enum class LinkChannel : std::uint8_t { Datalink = 0, Circuit = 1 };

// A process as the processor schedules it.
class Thread {
protected:
    ~Thread() = default;
};

// The unit that a process gives to a link at once: one message, or a short one and the long one after it.
struct LinkPacket {
    LinkChannel channel = LinkChannel::Datalink;
    Account account = accounts::system;
    std::span<const std::byte> header{}, body{};
    std::uint32_t wire_bytes = 0;  // modelled length of the whole packet
    std::uint32_t messages = 1;    // set-up and completion are charged for each, at both ends
    SimTime pause{};               // pause on the wire between two messages
};

// Room for a packet. `any_body`, if given, takes a body of any length.
struct LinkRoom {
    std::span<std::byte> header{}, body{};
    std::vector<std::byte>* any_body = nullptr;
};

struct LinkReceived {
    std::uint32_t header_bytes = 0, body_bytes = 0, messages = 0;
    Account account = accounts::system;
    SimTime arrived{};     // true time of the last byte: for witnesses
    bool dropped = false;  // by a bad link: there is no packet, so receive again
};

using LinkTimes = std::array<SimTime, 4>;  // indexed by link

class NodePort {
public:
    // An act of the running process that may take time. Cheaper than a Task: no frame.
    class [[nodiscard]] Step {
    public:
        Step(NodePort& port, bool over) : port_(port), over_(over) {}
        bool await_ready() const noexcept { return over_; }
        void await_suspend(std::coroutine_handle<> waiting) const { port_.wait_in(waiting); }
        void await_resume() const noexcept {}
        void get() const { EXPECTS(over_, "node_port.step.waits"); }

    protected:
        NodePort& port_;
        bool over_;
    };
    // Settles, then wakes a thread. nullptr: does nothing.
    class [[nodiscard]] Wake : public Step {
    public:
        Wake(NodePort& port, Thread* thread) : Step(port, thread == nullptr || port.begin_wake()), thread_(thread) {}
        void await_resume() const {
            if (thread_ != nullptr) port_.make_ready(*thread_);
        }
        void get() const {
            Step::get();
            await_resume();
        }

    private:
        Thread* thread_;
    };

    // Over when the other side has the packet. False: it was lost, because the link's path changed under way.
    class [[nodiscard]] LinkSend : public Step {
    public:
        using Step::Step;
        bool await_resume() const { return port_.end_link_send(); }
        bool get() const {
            Step::get();
            return await_resume();
        }
    };
    // Over when the packet is there. Charges the completion.
    class [[nodiscard]] LinkReceive : public Step {
    public:
        using Step::Step;
        LinkReceived await_resume() const { return port_.end_link_receive(); }
        LinkReceived get() const {
            Step::get();
            return await_resume();
        }
    };

    virtual ~NodePort() = default;

    // For the running process only.
    virtual void charge(Cycles cycles) = 0;
    // The same for an account; a port without accounts charges as above. accounts::system stands for the process's own account.
    // `what` is a detail: probed() or `computation` of accounts.hpp, or 0.
    virtual void charge_for(Account, Cycles cycles, [[maybe_unused]] std::uint8_t what = 0) { charge(cycles); }
    // The running process charges to that account from now on; a charge may name another.
    virtual void on_behalf_of(Account) {}
    Step settle() { return {*this, begin_settle()}; }
    // Settles, then uses cycles as a loop, in which timeslices may end.
    Step compute(Cycles cycles) { return {*this, begin_compute(cycles)}; }
    Step wait() { return {*this, begin_wait()}; }    // waits until wake(); may return early, so check a condition
    Step yield() { return {*this, begin_yield()}; }  // of a process that has settled
    virtual Thread& self() = 0;
    // A wait that ends when `flag` is true. Whoever sets it wakes the process. The flag must outlive the wait.
    Step wait_until(const bool& flag) { return {*this, begin_wait_until(flag)}; }
    // Both for a process that has settled; the sender's charge includes link_message_cost(). What the packet and the room refer
    // to must outlive the wait.
    LinkSend link_send(LinkNo link, const LinkPacket& packet) { return {*this, begin_link_send(link, packet)}; }
    LinkReceive link_receive(LinkNo link, LinkChannel channel, const LinkRoom& room) {
        return {*this, begin_link_receive(link, channel, room)};
    }
    virtual Cycles link_message_cost() const = 0;  // set-up and completion of one message at one end
    // wait() with a timeout: returns at the latest when the node's own clock passes `clock_us`.
    virtual Task<> wait_until_clock(std::uint64_t clock_us) = 0;
    // wait() that also returns when `wanted` is true, checked every `period_us` of the node's clock. A check costs nothing: the
    // process gets the processor only when there is work. A port may return after the first period, whatever `wanted` says.
    virtual Task<> wait_for_look(std::uint64_t period_us, [[maybe_unused]] const std::function<bool()>& wanted) {
        return wait_until_clock(clock_us(Priority::High) + period_us);
    }
    // Waits until the node's event pin has risen since the last wait: by the global interrupt, or by a source outside the
    // machine. Several rises count as one event. One process at a time.
    virtual Task<> wait_for_event() = 0;
    // Sets the level of the interrupt line, which leads to the event pins of all other nodes. For the interrupt master only,
    // and after it has settled.
    virtual void move_interrupt_line(bool up) = 0;

    // For any code on the node. Throws std::length_error when the node has no room for another thread.
    virtual Thread& spawn(Priority priority, std::function<void()> code) = 0;
    virtual Thread& spawn_coroutine(Priority priority, std::function<Task<>()> code) = 0;
    Wake wake(Thread* thread) { return {*this, thread}; }  // a calling process settles first
    // It never runs again. Its code is destroyed and its place is free: a stack unwinds, frames of coroutines go. Not for the
    // running thread. Its destructors may call, but then nothing happens, and no call waits. A destructor that calls on and on
    // does not come back, and those after it do not run.
    virtual void kill(Thread& thread) = 0;
    // The thread has ended, or never runs again. Its code goes as in kill(), and another thread may take its place. A late wake
    // then reaches that one. Not for the running thread.
    virtual void bury(Thread&) {}
    // Converts time stated for a T800-20 to cycles of 50 ns.
    virtual Cycles cycles(SimTime stated) const = 0;
    virtual SimTime lasts(SimTime stated) const { return stated; }  // its duration on this node
    virtual std::uint64_t clock_us(Priority priority) const = 0;    // the node's own clock, with drift
    virtual SimTime now() const = 0;  // true time: for witnesses and the host's user, not for programs
    virtual bool wired(LinkNo link) const = 0;
    virtual bool processor_idle() const = 0;  // no low-priority process runs or is ready
    virtual bool links_idle() const = 0;
    virtual SimTime busy(Priority priority) const = 0;                 // time used by this priority until now
    virtual LinkTimes link_sending() const = 0;                        // sending time of each link until now
    virtual std::uint64_t memory_bytes() const { return UINT64_MAX; }  // all of the node's RAM
    virtual std::uint64_t memory_used() const { return 0; }            // of it, at present
    virtual bool take_memory(std::uint64_t bytes) = 0;
    virtual void give_back_memory(std::uint64_t bytes) = 0;
    // A block of the programs' heap; nullptr when the node's RAM is exhausted. It belongs to the running thread: kill()
    // releases it. Any thread may release it before. Processes that share memory take it by take_memory(), which has no owner.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* block) = 0;
    virtual std::vector<std::span<std::byte>> allocated_blocks() = 0;  // heap blocks of the programs, by address
    virtual void crash() = 0;  // the node crashes; of its processes only one with a stack may call this

protected:
    // True: it is over. False: the process waits; wait_in() says where it goes on.
    virtual bool begin_settle() = 0;
    virtual bool begin_compute(Cycles cycles) = 0;
    virtual bool begin_wait() = 0;
    virtual bool begin_wait_until(const bool& flag) = 0;
    virtual bool begin_link_send(LinkNo link, const LinkPacket& packet) = 0;
    virtual bool end_link_send() = 0;
    virtual bool begin_link_receive(LinkNo link, LinkChannel channel, const LinkRoom& room) = 0;
    virtual LinkReceived end_link_receive() = 0;
    virtual bool begin_yield() = 0;
    virtual bool begin_wake() = 0;  // settle(), for a process; over, for any other code
    virtual void wait_in(std::coroutine_handle<> waiting) = 0;
    virtual void make_ready(Thread& thread) = 0;
};

}  // namespace trollius_os
