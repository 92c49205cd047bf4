// The reference result of a farm: its tasks done sequentially on this computer, without a machine.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <farm_programs/builder.hpp>
#include <farm_programs/specification.hpp>

namespace farm_programs {

// Output of a program's run.
struct ProgramOutput {
    std::string text;                          // printed text
    std::map<std::string, std::string> files;  // saved files, by name
};

struct SequentialRun {
    bool good = false;
    std::string problem;  // a sentence without full stop; empty on success
    ProgramOutput output;
};

// `depth`: most splits of a DCVM task; 0: none. `input`: the program's input text. `seconds`: timeout of each function call.
// The program runs with the caller's rights, with resource limits and without protection. It and its child processes end with
// this process. Cost: the program's own time.
SequentialRun run_sequentially(const Specification& spec, const Built& built, std::size_t depth, const std::string& input = {},
                               unsigned seconds = 60);

// The differences between `farm` and `sequential`, one sentence a line. Empty when they are equal, or print the same lines in
// another order.
std::string differences(const ProgramOutput& sequential, const ProgramOutput& farm);
// The first line that differs when the same lines are printed in another order; else empty.
std::string other_order(const ProgramOutput& sequential, const ProgramOutput& farm);

}  // namespace farm_programs
