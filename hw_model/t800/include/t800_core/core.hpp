// Core: an IMS T800 with its floating-point unit, instruction by instruction, cycles counted (docs/model/t800_core.md).
//
// It owns the registers and works on the memory of its node, a span from #80000000 upwards. It knows no time but its own
// cycles, no link but LinkPort, and nothing of other nodes. A node with such a core, or a test, drives it. First reset(): it
// boots from the link that speaks first. Then run_until() the next cycle at which a link or a pin can matter, again and again.
// In between the driver sets link engines to work, and lets its own time come to now(). output_done(), input_done() and
// input_ready() take effect at now().
//
// An instruction that began before the limit ends, so now() may lie a little past it. Block moves are cut at the limit and go
// on, which shows nowhere but in now(). Cost: some 2 ns an instruction on one host core; memory: 64 KiB beside the node's
// own, and more for large programs (see decoded_bytes()).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <t800_core/link_port.hpp>
#include <t800_core/observer.hpp>
#include <t800_core/registers.hpp>
#include <t800_core/settings.hpp>

namespace t800_core {

struct Stop {
    enum class Reason : std::uint8_t {
        Limit,       // now() has reached the limit; a process runs
        Idle,        // no process runs: now() is when the last one stopped, or the limit when none ran. Core::next_timer() says
                     // when one will wake, unless a link is first
        Port,        // a call of LinkPort at now()
        Halted,      // Error with HaltOnError; links go on. Only reset() and analyse() end this
        Analysed,    // the halt that analyse() asked for
        RanAway,     // code ran into an address without memory; as Halted, and Core::stray() says where
        Breakpoint,  // the next instruction lies at a breakpoint. The next run_until() executes it
    };
    Reason reason = Reason::Limit;
};

struct Totals {
    std::uint64_t instructions = 0;  // prefixes folded
    std::uint64_t process_starts = 0, preemptions = 0, timeslices = 0, messages = 0;
    Cycle idle = 0;    // cycles without a process
    Cycle stolen = 0;  // by link engines
};

// The first access that no memory answered for.
struct Stray {
    std::uint32_t address = 0, iptr = 0;
    std::uint64_t count = 0;  // of all such accesses
};

struct StoppedProcess {
    std::uint32_t descriptor = 0, iptr = 0;  // of the instruction behind stoperr
};

class Core {
public:
    // `memory` begins at #80000000 and holds at least the 4096 bytes on the chip; its length is a multiple of 4. The core keeps
    // the span and the port. Whoever else writes the memory calls memory_changed().
    Core(std::span<std::byte> memory, const CoreSettings& settings, LinkPort& port);
    // A snapshot: the state of `other`, on a copy of its memory.
    Core(const Core& other, std::span<std::byte> memory, LinkPort& port);
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core();

    // The pin Reset begins a boot from a link. Error stays, and HaltOnError is cleared. The pin Analyse halts the core at the
    // next descheduling point. A reset after that boots again and keeps the memory; testpranal tells the code.
    void reset();
    void analyse();
    // Starts a process without a boot, for tests and for images that a node's kernel has placed.
    void start(std::uint32_t iptr, std::uint32_t wptr, std::uint8_t priority = 1);

    // Runs until now() >= limit, or until something else stops it. A limit that has passed runs nothing.
    Stop run_until(Cycle limit);
    Cycle now() const;
    // The next cycle at which a timer wakes a process; nothing when no timer is set.
    std::optional<Cycle> next_timer() const;

    // Link engines, at now(). Bytes go through these two, as many at a time as the engine likes; both answer how many bytes are
    // left in the transfer afterwards. Spans longer than what was left are a broken contract.
    std::uint32_t take_output(LinkNo link, std::span<std::byte> into);
    std::uint32_t give_input(LinkNo link, std::span<const std::byte> from);
    void output_done(LinkNo link);     // the last byte was acknowledged
    void input_done(LinkNo link);      // the last byte is in memory
    void input_ready(LinkNo link);     // a byte waits, and enable_input() had asked. Also while the core boots
    void event_raised();               // EventReq rose
    void steal(std::uint32_t cycles);  // a link engine had the memory for so long
    void memory_changed(std::uint32_t address, std::size_t count);

    // Looking, and the debugger's hand. set_registers() is for a core that stands between two calls of run_until().
    const Registers& registers() const;
    void set_registers(const Registers& registers);
    std::uint32_t clock(std::uint8_t priority) const;  // Clock0 or Clock1
    const Totals& totals() const;
    const std::optional<Stray>& stray() const;
    // The first operation that a T800 does not have, with its number as the address: an image for another transputer.
    const std::optional<Stray>& unknown_operation() const;
    // The first process since the last reset that stoperr stopped.
    const std::optional<StoppedProcess>& stopped_on_error() const;
    bool booting() const;  // waits for a boot message
    std::optional<LinkNo> boot_link() const;
    std::span<const std::byte> memory() const;
    bool is_memory(std::uint32_t address, std::size_t count) const;
    std::uint32_t word(std::uint32_t address) const;  // all ones where no memory is
    bool was_channel(std::uint32_t address) const;    // an input, output or ALT has waited at this word of memory, no link's
    void set_word(std::uint32_t address, std::uint32_t value);
    void observe(Observer* observer);  // nullptr: nobody
    void set_breakpoint(std::uint32_t address);
    void clear_breakpoint(std::uint32_t address);
    void set_stepping(bool on);         // Stop::Reason::Breakpoint before each instruction
    bool at_breakpoint() const;         // a process runs, and its next instruction lies at one
    std::size_t decoded_bytes() const;  // host memory of decoded code, 48 KiB; large programs get more, 768 KiB at most

    struct State;  // private to the component

private:
    std::unique_ptr<State> state_;
};

}  // namespace t800_core
