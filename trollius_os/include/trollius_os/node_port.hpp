// NodePort: all the kernel asks of a Node, the seam down to the hardware. trollius_hosted implements it on hw_model. Tests may
// implement it on anything that can run a function on a stack of its own.
//
// Charging: charge() only adds up. The sum is paid, in modelled time, before the next act of the process: settle(), wake(),
// link_send(), link_receive(). A process that waits with something unpaid pays it when it goes on. So one act costs one event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <trollius_os/accounts.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_os {

using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

enum class Priority : std::uint8_t { High = 0, Low = 1 };  // the transputer's two
enum class LinkChannel : std::uint8_t { Datalink = 0, Circuit = 1 };

// A process' seat on the processor.
class Thread {
protected:
    ~Thread() = default;
};

// The unit that a process gives to a link in one go: a message, or a short one and the long one that follows it.
struct LinkPacket {
    LinkChannel channel = LinkChannel::Datalink;
    Account account = accounts::system;
    std::span<const std::byte> header{}, body{};
    std::uint32_t wire_bytes = 0;  // modelled length of all of it
    std::uint32_t messages = 1;    // set-up and completion are charged for each, at both ends
    SimTime pause{};               // between them on the wire
};

// The room where a process wants a packet. `any_body`, when given, takes a body of any length.
struct LinkRoom {
    std::span<std::byte> header{}, body{};
    std::vector<std::byte>* any_body = nullptr;
};

struct LinkReceived {
    std::uint32_t header_bytes = 0, body_bytes = 0, messages = 0;
    Account account = accounts::system;
    SimTime arrived{};  // true time of the last byte: for witnesses
};

using LinkTimes = std::array<SimTime, 4>;  // by link

class NodePort {
public:
    virtual ~NodePort() = default;

    // Called by the running process only.
    virtual void charge(Cycles cycles) = 0;
    // The same for an account; a port that keeps no accounts charges as above. accounts::system: that of the process. `what`
    // divides a charge further: probed() or `computation` of accounts.hpp; 0 when there is nothing to say.
    virtual void charge_for(Account, Cycles cycles, [[maybe_unused]] std::uint8_t what = 0) { charge(cycles); }
    // From now on the running process charges for that account, unless a charge says otherwise.
    virtual void on_behalf_of(Account) {}
    virtual void settle() = 0;
    virtual void compute(Cycles cycles) = 0;  // settles and uses cycles in a loop, in which timeslices may end
    virtual void wait() = 0;                  // until wake(); may also return early, so wait for a condition
    virtual void yield() = 0;
    virtual Thread& self() = 0;
    // Returns when the other side has it, or when it was lost because the link's path was changed under it: false.
    virtual bool link_send(LinkNo link, const LinkPacket& packet) = 0;
    virtual LinkReceived link_receive(LinkNo link, LinkChannel channel, const LinkRoom& room) = 0;
    virtual Cycles link_message_cost() const = 0;  // set-up and completion of one message at one end
    // wait() that returns at the latest when the node's own clock has passed `clock_us`.
    virtual void wait_until_clock(std::uint64_t clock_us) = 0;
    // wait() that returns at the latest when `wanted` says so. `wanted` is called each time that another `period_us` has passed
    // on the node's clock. A look costs nothing: the process gets the processor only when there is something to do. A port may
    // return after the first period, whatever `wanted` would say.
    virtual void wait_for_look(std::uint64_t period_us, [[maybe_unused]] const std::function<bool()>& wanted) {
        wait_until_clock(clock_us(Priority::High) + period_us);
    }
    // Until something has raised the node's event pin since the last wait: the global interrupt, or a source outside the
    // machine. Several rises are one event. One process at a time.
    virtual void wait_for_event() = 0;
    // Pulls the interrupt line, which leads to the event pins of all other nodes, up or down. For the interrupt master only.
    virtual void move_interrupt_line(bool up) = 0;

    // Called by anything on the node.
    // Throws std::length_error when the node has no room for another thread.
    virtual Thread& spawn(Priority priority, std::function<void()> code) = 0;
    virtual void wake(Thread& thread) = 0;  // settles first when a process calls it
    virtual void kill(Thread& thread) = 0;  // never the running one
    // Costs and computations that are stated as time are those of a T800-20: the cycles of 50 ns in it.
    virtual Cycles cycles(SimTime stated) const = 0;
    virtual SimTime lasts(SimTime stated) const { return stated; }  // how long that is on this node
    virtual std::uint64_t clock_us(Priority priority) const = 0;    // the node's own, drifting clock
    virtual SimTime now() const = 0;  // true time: for witnesses and the host's user, not for programs
    virtual bool wired(LinkNo link) const = 0;
    virtual bool processor_idle() const = 0;  // nothing but high-priority processes wants it
    virtual bool links_idle() const = 0;
    virtual SimTime busy(Priority priority) const = 0;  // time that processes of this priority have used until now
    virtual LinkTimes link_sending() const = 0;         // time that each link has been sending until now
    virtual bool take_memory(std::uint64_t bytes) = 0;
    virtual void give_back_memory(std::uint64_t bytes) = 0;
    virtual void* allocate(std::size_t bytes) = 0;  // nullptr when the node's RAM is exhausted
    virtual void release(void* block) = 0;
    virtual std::vector<std::span<std::byte>> allocated_blocks() = 0;  // of the programs' heap, by address
    virtual void crash() = 0;  // the node dies; does not return when a process of that node calls it
};

}  // namespace trollius_os
