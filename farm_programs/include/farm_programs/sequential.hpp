// The result that a farm must give: the program's tasks done one after the other on this computer, without a machine.
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
    std::string problem;  // a sentence without full stop; empty when good
    ProgramOutput output;
};

// `depth`: how often a task of a DCVM is split at most; 0: never. `input`: the text that the program reads. `seconds`: no call
// of a function lasts longer. The program runs on this computer with the rights of the caller, with limits and without
// protection. It and what it started end with this process. Cost: the program's own time.
SequentialRun run_sequentially(const Specification& spec, const Built& built, std::size_t depth, const std::string& input = {},
                               unsigned seconds = 60);

// Sentences that say where `farm` differs from `sequential`, one a line. Empty when they are equal, or print the same lines in
// another order.
std::string differences(const ProgramOutput& sequential, const ProgramOutput& farm);
// The first line that differs when the same lines are printed in another order; else empty.
std::string other_order(const ProgramOutput& sequential, const ProgramOutput& farm);

}  // namespace farm_programs
