// The result that a farm must give: the program's tasks done one after the other on this computer, without a machine.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <farm_programs/builder.hpp>
#include <farm_programs/specification.hpp>

namespace farm_programs {

// What a run of a program leaves.
struct ProgramOutput {
    std::string text;                          // that it printed
    std::map<std::string, std::string> files;  // that it saved, by name
};

struct SequentialRun {
    bool good = false;
    std::string problem;  // a sentence without full stop; empty when good
    ProgramOutput output;
};

// `depth`: how often a task of a DCVM is split at most; 0: never. `input`: what the program reads. `seconds`: no call of a
// function lasts longer. The program runs on this computer as the user who runs it, with limits and without protection; it and
// what it started end with this process. Cost: the program's own time.
SequentialRun run_sequentially(const Specification& spec, const Built& built, std::size_t depth, const std::string& input = {},
                               unsigned seconds = 60);

// Sentences on where `farm` differs from `sequential`, one a line; empty when they are equal, or print the same lines in
// another order.
std::string differences(const ProgramOutput& sequential, const ProgramOutput& farm);
// The first line that is another when the same lines are printed in another order; else empty.
std::string other_order(const ProgramOutput& sequential, const ProgramOutput& farm);

}  // namespace farm_programs
