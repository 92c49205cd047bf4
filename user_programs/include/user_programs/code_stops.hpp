// CodeStops: places in the code of loaded programs at which a process stops for a debugger. Each is a breakpoint instruction in
// one copy of the module. A stop takes no modelled time, and the process goes on as if it had not been there. Without a place
// nothing costs anything. One at a time; programs are loaded before, and outlive it or are forgotten.
//
// Cost: two signals each time that a process comes to a place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <user_programs/code_registers.hpp>
#include <user_programs/program_process.hpp>

namespace user_programs {

class CodeStops {
public:
    // `wanted`: called on the process's stack when it comes to a place; false: it goes on at once. `stopped`: called then on a
    // stack of its own, of some megabytes, while the process waits. Both may change places. What they throw ends the run.
    using Wanted = std::function<bool(ProgramProcess& process, const CodeRegisters& at)>;
    using Stopped = std::function<void(ProgramProcess& process)>;
    CodeStops(Wanted wanted, Stopped stopped);
    ~CodeStops();  // takes all places away
    CodeStops(const CodeStops&) = delete;
    CodeStops& operator=(const CodeStops&) = delete;

    // The places of this copy of a program, instead of those that it had: addresses of whole instructions in it, in ascending
    // order. Throws vocabulary::HostError when the host lets nobody change code. Cost: two system calls.
    void set(LoadedProgram& program, const std::vector<std::uintptr_t>& places);
    // The programs are not there any more.
    void forget() { patches_.clear(); }

    // The registers of a process: at the place where it has stopped, or where it waits. Empty: it has not begun, or has ended.
    std::optional<CodeRegisters> registers(const ProgramProcess& process) const;

private:
    using Patches = std::map<std::uintptr_t, unsigned char>;  // address, and the byte of the program
    struct LargeStack;
    static void on_signal(int number, void* info, void* context);
    bool on_trap(void* context, bool after_one_instruction);
    void stop(ProgramProcess& process, const CodeRegisters& at);
    void arm_again();

    const Wanted wanted_;
    const Stopped stopped_;
    std::map<LoadedProgram*, Patches> patches_;
    struct Stepping {
        LoadedProgram* program;
        std::uintptr_t address;
    };
    std::optional<Stepping> stepping_;  // the place whose instruction is being done now
    const ProgramProcess* trapped_ = nullptr;
    CodeRegisters trapped_at_;
    std::unique_ptr<LargeStack> stack_;
    static CodeStops* current_;
};

}  // namespace user_programs
