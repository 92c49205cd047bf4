// RankDebugger: breakpoints, steps, stacks and variables of the ranks of an MPI program. It stops a rank without modelled time,
// so a run with it is the run without it. Each rank has a copy of the program's module, so a breakpoint is set for some of
// them. What it tells of variables is what the compiler has written about them (DWARF), read from the simulator's memory.
//
// Cost: without breakpoints none. The first question reads the program's debug information.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <user_programs/loaded_program.hpp>
#include <user_programs/program_process.hpp>

namespace rank_debugger {

struct Frame;

// Ranks in ascending order, each once. "0-3,7", "all". Throws vocabulary::RequestError.
std::vector<std::size_t> parse_ranks(const std::string& text, std::size_t count);
std::string ranks_text(const std::vector<std::size_t>& ranks);  // "0-3,7"
// The ranks at the beginning of a command's words, if a word of this form stands there and others follow: "0-3" of "0-3 x[1]".
// Then the words without them.
std::pair<std::string, std::string> split_ranks(const std::string& words);

struct CodeBreakpoint {
    std::size_t number = 0;
    std::vector<std::size_t> ranks;         // empty: all
    std::string words;                      // as they were given, without ranks
    std::string place;                      // "relax() at jacobi.c:14"
    std::string note;                       // empty: none
    std::vector<std::uintptr_t> addresses;  // in the file
    std::uint32_t receive = 0;              // only where a rank begins its receive of this number; 0: always
};

struct Answer {
    std::string text;
    std::string json;  // an object
};

enum class StepKind : std::uint8_t { Over, Into, Out };

class RankDebugger {
public:
    struct Program {
        std::string path;  // of the file that was loaded
        std::size_t ranks = 0;
        std::function<std::vector<user_programs::LoadedProgram*>()> modules;           // a copy for each rank
        std::function<std::vector<const user_programs::ProgramProcess*>()> processes;  // by rank; null: it does not run
    };
    // `stopped`: called when a rank has stopped, on a stack of some megabytes; the rank goes on when it returns. `may_stop`:
    // asked before.
    RankDebugger(Program program, std::function<bool()> may_stop, std::function<void(const Answer& where)> stopped);
    ~RankDebugger();
    RankDebugger(const RankDebugger&) = delete;
    RankDebugger& operator=(const RankDebugger&) = delete;

    // `ranks`: empty: all. `place`: FUNCTION, FILE:LINE, FILE:FUNCTION, or a receive as records and races have it: "race r0
    // recv 3", "race rank 0, receive 3". Throws vocabulary::RequestError.
    const CodeBreakpoint& add(std::size_t number, const std::string& ranks, const std::string& place);
    bool remove(std::optional<std::size_t> number);  // empty: all. False: there is none of that number
    const std::vector<CodeBreakpoint>& all() const { return all_; }
    // All of them as text, for another moment of the run; take() puts them in place of those that are there.
    std::string text() const;
    void take(const std::string& text);
    // No rank stops any more. `gone`: the program's modules may not be there any more.
    void let_go(bool gone);

    // The rank that has stopped now; empty: none has.
    std::optional<std::size_t> stopped_rank() const { return stopped_rank_; }
    const std::vector<std::size_t>& hit() const { return hit_; }  // the breakpoints at which it has; none: a step
    // The next stop is at another line of this rank's innermost function, or where it returns to. Throws
    // vocabulary::RequestError when the rank has none.
    void step(std::size_t rank, StepKind kind);
    bool steps() const { return step_ != nullptr; }
    void forget_step();
    // True: the rank of the step has come to its end.
    bool step_is_over() const;

    // The stacks of these ranks. Ranks with the same one share an entry.
    Answer where(const std::vector<std::size_t>& ranks) const;
    // The value of an expression in these ranks. Throws vocabulary::RequestError, with the column, for a wrong one.
    Answer print(const std::vector<std::size_t>& ranks, const std::string& expression) const;

private:
    struct Parts;
    struct Step;
    struct View;
    Parts& parts() const;
    View view_of(std::size_t rank) const;
    bool wants(const user_programs::ProgramProcess& process, const user_programs::CodeRegisters& at);
    void add_receive(CodeBreakpoint& to) const;
    bool is_at(const CodeBreakpoint& one, std::size_t rank, const user_programs::ProgramProcess& process) const;
    bool is_step(const user_programs::ProgramProcess& process, const user_programs::CodeRegisters& at,
                 std::uintptr_t offset) const;
    void add_lines(Step& to, const Frame& from) const;
    void refresh();
    void tell_stop(const user_programs::ProgramProcess& process);
    std::string address_text(std::uintptr_t address, const user_programs::LoadedProgram::Addresses& own) const;
    std::string source_line(const std::string& path, unsigned line) const;
    std::string arguments_text(const View& view, std::size_t frame) const;

    const Program program_;
    const std::function<bool()> may_stop_;
    const std::function<void(const Answer&)> stopped_;
    mutable std::unique_ptr<Parts> parts_;  // made when they are needed
    std::vector<CodeBreakpoint> all_;
    std::unique_ptr<Step> step_;
    std::optional<std::size_t> stopped_rank_;
    std::vector<std::size_t> hit_;  // the breakpoints of the present stop; empty: a step
};

}  // namespace rank_debugger
