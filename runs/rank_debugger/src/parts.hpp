// Private parts of RankDebugger, shared by its source files.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <rank_debugger/rank_debugger.hpp>
#include <user_programs/code_stops.hpp>

#include "debug_info.hpp"
#include "frames.hpp"

namespace rank_debugger {

struct RankDebugger::Parts {
    explicit Parts(const std::string& path) : info(path), stacks(info) {}
    DebugInfo info;
    Stacks stacks;
    std::unique_ptr<user_programs::CodeStops> stops;  // null: nothing has been set yet
};

// A step under way. Addresses are those of the file.
struct RankDebugger::Step {
    std::size_t rank = 0;
    StepKind kind = StepKind::Over;
    std::set<std::uintptr_t> inside{};     // other lines of the function
    std::uintptr_t canonical = 0;          // of its frame
    std::optional<std::uintptr_t> back{};  // where it returns to, among the user's functions
    std::uintptr_t back_canonical = 0;
    std::set<std::uintptr_t> entries{};  // of all functions, for StepKind::Into
    bool has(std::uintptr_t address) const { return inside.contains(address) || back == address || entries.contains(address); }
};

// All that is known of a rank now.
struct RankDebugger::View {
    std::size_t rank = 0;
    const user_programs::ProgramProcess* process = nullptr;
    user_programs::LoadedProgram::Addresses module{};
    ReadMemory read{};
    std::vector<Frame> frames{};  // of the user's functions, the innermost first
    Activation globals{};
    std::string state{};  // "stopped at breakpoint 1", "in MPI_Recv()", "has not begun, or has ended"
    std::vector<std::string>
        via{};  // by frame: the function of a library through which the frame before was called; empty: none
};

}  // namespace rank_debugger
