// Observer: sees the core work, at no modelled cost. Without one the core runs as if the type did not exist. With one that asks
// for instructions it runs instruction by instruction, some ten times slower.
#pragma once

#include <cstdint>

#include <t800_core/settings.hpp>

namespace t800_core {

struct SeenInstruction {
    Cycle start;                  // when it began, prefixes included
    std::uint32_t address;        // of its first prefix
    std::uint32_t operand;        // as the prefixes built it; the operation's number for opr
    std::uint8_t function;        // high nibble: 0 (j) to 15 (opr)
    std::uint8_t length;          // bytes; 255 stands for more
    std::uint32_t a, b, c, wptr;  // before
};

struct SeenMessage {
    Cycle at;
    std::uint32_t channel, count, from, to;  // addresses; `from` or `to` is 0 where the partner is a link
    std::uint32_t sender, receiver;          // descriptors of processes; NotProcess for a link
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual bool wants_instructions() const { return true; }
    virtual void instruction(const SeenInstruction& what) { static_cast<void>(what); }
    // A process got the processor: descriptor is its workspace with the priority in bit 0.
    virtual void process_started(Cycle at, std::uint32_t descriptor, std::uint32_t iptr) {
        static_cast<void>(at), static_cast<void>(descriptor), static_cast<void>(iptr);
    }
    // It gave the processor up at its end, or a high one took it. `ends`: by stopp, endp or stoperr.
    virtual void process_left(Cycle at, std::uint32_t descriptor, bool ends) {
        static_cast<void>(at), static_cast<void>(descriptor), static_cast<void>(ends);
    }
    // endp: the last of several ends, and goes on as their successor without a start.
    virtual void process_joined(Cycle at, std::uint32_t descriptor, std::uint32_t successor) {
        static_cast<void>(at), static_cast<void>(descriptor), static_cast<void>(successor);
    }
    // A message between processes, when it is copied. At a link: its transfer begins.
    virtual void message(const SeenMessage& what) { static_cast<void>(what); }
    // The transfer of a link is over, and wakes the process that the channel word names.
    virtual void transfer_done(Cycle at, std::uint32_t channel, std::uint32_t descriptor) {
        static_cast<void>(at), static_cast<void>(channel), static_cast<void>(descriptor);
    }
    virtual void idle(Cycle at) { static_cast<void>(at); }  // no process runs; told each time that the core looks
};

}  // namespace t800_core
