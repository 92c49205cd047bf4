// Environment: the receiver of a program's calls. It is a process of the modelled machine (program_application.hpp); tests use
// a simpler one. The functions run on the caller's stack, never on the stack of the user's function. A function that throws or
// never returns abandons the user's function without unwinding it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <farm_programs/diagnosis.hpp>
#include <trek_kernel/application.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace farm_programs {

class Environment {
public:
    virtual vocabulary::NodeId node() const = 0;

    // For data_generator and result_receiver.
    virtual void do_task(std::span<const std::byte> task, std::int32_t priority) = 0;
    virtual trek_kernel::Bytes get_result(trek_kernel::TaskIdentity& whose) = 0;
    virtual std::uint32_t total_tasks() const = 0;

    virtual void charge(vocabulary::Cycles cycles) = 0;  // modelled time, on the node's processor
    virtual vocabulary::Cycles cycles_of(vocabulary::SimTime time) const = 0;
    virtual std::uint64_t clock_us() const = 0;  // the node's clock

    // Takes modelled memory of the node. False: too little is left.
    virtual bool take_memory(std::uint64_t bytes) = 0;
    virtual void give_back_memory(std::uint64_t bytes) = 0;

    virtual void print(const std::string& text) = 0;  // prints on the host's console
    virtual void save(const std::string& name, trek_kernel::Bytes content) = 0;
    virtual std::size_t read(std::span<std::byte> room) = 0;  // reads from the input stream; 0 at its end

    // Calls to the node's monitor; without one nothing happens. False: `classes` has an unknown name.
    virtual void user_event(std::uint32_t number, std::uint64_t value) = 0;
    virtual bool switch_event_classes(const std::string& classes, bool on) = 0;

    virtual void diagnose(Diagnosis diagnosis) = 0;
    // The process cannot go on after a fault, for example a wild pointer. A modelled node crashes, and this does not return.
    // Elsewhere it throws trek_kernel::ProcessEnds.
    [[noreturn]] virtual void fault() = 0;

protected:
    ~Environment() = default;
};

}  // namespace farm_programs
