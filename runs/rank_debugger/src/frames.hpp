// Frames: the calls under way on a rank's stack, innermost first, by the tables for unwinding. Magicwire's own frames below a
// call that waits are passed, and do not show.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <user_programs/loaded_program.hpp>

#include "debug_info.hpp"
#include "locations.hpp"

namespace rank_debugger {

struct Frame {
    Activation in;                       // Activation::code is 0 only in no frame
    const Function* function = nullptr;  // null: no debug information, as in the library of MPI
    std::string name;                    // "relax"; of a function made part of another one its own name; "?" if none is known
    bool is_inlined = false;             // made part of the next frame's function
    std::string file;                    // without its folder; empty: no line is known
    std::string path;                    // with it
    unsigned line = 0;
    std::vector<Dwarf_Die> scopes{};  // of variables, the innermost first
};

// Magicwire's own tables. One a process.
class OwnCode {
public:
    OwnCode();
    ~OwnCode();
    OwnCode(const OwnCode&) = delete;
    OwnCode& operator=(const OwnCode&) = delete;
    Dwarf_CFI* frames() const { return frames_; }
    std::uintptr_t load() const { return load_; }

private:
    int file_ = -1;
    Elf* elf_ = nullptr;
    Dwarf_CFI* frames_ = nullptr;
    std::uintptr_t load_ = 0;
};

class Stacks {
public:
    explicit Stacks(const DebugInfo& info) : info_(info) {}

    // All frames of the program's code, also those of its libraries. `at`: where it stopped or waits. At most 256.
    std::vector<Frame> frames(const user_programs::LoadedProgram::Addresses& module, const CodeRegisters& at,
                              const ReadMemory& read) const;
    // The canonical frame address of the function that has stopped there. Empty: not known. Cost: some microseconds.
    std::optional<std::uintptr_t> canonical(const user_programs::LoadedProgram::Addresses& module, const CodeRegisters& at,
                                            const ReadMemory& read) const;

private:
    void add(std::vector<Frame>& frames, const Activation& in) const;

    const DebugInfo& info_;
    OwnCode own_;
};

}  // namespace rank_debugger
