// Environment: the receiver of the calls that every program has. It is a process of the modelled machine; tests use a simpler
// one. The functions run on the caller's stack, never on the stack of the user's function. A function that throws or never
// returns abandons the user's function without unwinding it. Each kind of program adds the calls of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <user_programs/diagnosis.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace user_programs {

class Environment {
public:
    virtual vocabulary::NodeId node() const = 0;

    virtual void charge(vocabulary::Cycles cycles) = 0;  // modelled time, on the node's processor
    // A log for flowback (kept_log.hpp): work of the processor, and a block on its way to the host. Where nobody tells tools
    // from programs, the work is charged as any other, and blocks go nowhere.
    virtual void charge_log(vocabulary::Cycles cycles) { charge(cycles); }
    virtual void send_log([[maybe_unused]] std::uint32_t number, [[maybe_unused]] std::span<std::byte> block) {}
    virtual vocabulary::Cycles cycles_of(vocabulary::SimTime time) const = 0;
    virtual std::uint64_t clock_us() const = 0;  // the node's clock

    // Takes modelled memory of the node. False: too little is left.
    virtual bool take_memory(std::uint64_t bytes) = 0;
    virtual void give_back_memory(std::uint64_t bytes) = 0;

    virtual void print(const std::string& text) = 0;          // prints on the host's console
    virtual std::size_t read(std::span<std::byte> room) = 0;  // reads from the input stream; 0 at its end

    virtual void diagnose(Diagnosis diagnosis) = 0;
    // The process cannot go on after a fault, for example a wild pointer. A modelled node crashes, and this does not return.
    // Elsewhere it throws.
    [[noreturn]] virtual void fault() = 0;

protected:
    ~Environment() = default;
};

}  // namespace user_programs
