// Breakpoints as a user writes them: P0=412,P1=jacobi.c:88#3,P2=1.25s.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <tmon_recovery/breakpoints.hpp>

#include "recovery/recorded_run.hpp"

namespace cli {

struct NamedBreakpoints {
    tmon_recovery::BreakpointSet set{};  // of those that are not named 0
    std::vector<bool> named{};
};
// The breakpoint may lie behind the place where the record was cut off: exit code 4.
struct BehindCut : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Throws CLI::ValidationError: a word that is none, a process or an event that there is not; or BehindCut.
NamedBreakpoints parse_breakpoints(const RecordedRun& run, const char* option, const std::string& words);

// A consistent set; the others stop in the earliest states that the named ones depend on. Throws vocabulary::InputError, with
// both breakpoints, the messages between them and the nearest set that is consistent.
tmon_recovery::BreakpointSet consistent_set(const RecordedRun& run, const NamedBreakpoints& breakpoints,
                                            const std::string& words);

// "P0=412,P1=7"
std::string words_of(const tmon_recovery::BreakpointSet& set);

}  // namespace cli
