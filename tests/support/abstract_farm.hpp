// An abstract farm: nodes, buffers and user functions as a random choice of what can happen next, with a true fault. It knows
// nothing of the analysis and nothing of time. Its every act is one of the histories that the assumptions of the verdict allow.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <tmon_detrek/fault_list.hpp>
#include "farm_trace.hpp"

namespace testing_support {

using trace_record::SubTaskId;

enum class UserFunction : std::uint8_t { Generate, Compute, Split, Join, Receive };
// The kind of fault. The function stops, or its output is not sent, is sent twice, or has the number of another task. Or the
// bundle goes on without one of its tasks.
enum class Wrong : std::uint8_t { Stops, Omits, Doubles, Misnames, OmitsOneOfBundle };

struct Fault {
    UserFunction function = UserFunction::Compute;
    std::uint32_t task = 0;             // Receive: fails when it has taken this many results
    std::optional<std::uint16_t> node;  // nothing: on every node
    bool kills_node = true;             // else it never returns
    bool ends_program = false;          // Receive only: returns early, and the farm ends at once
    Wrong what = Wrong::Stops;          // of Generate, Compute, Split and Join
    std::uint32_t other_task = 0;       // of Misnames
};

// Failures without any function's part in them, at some step of the history.
enum class HardwareFault : std::uint8_t {
    Dies,      // the node stops
    Sticks,    // nothing passes between the node and its parent any more, in either direction
    LosesAck,  // the same, but one waiting message, if any, arrives and its sender does not know it
};
struct Strike {
    HardwareFault what = HardwareFault::Dies;
    std::uint16_t node = 1;  // never the manager
    unsigned step = 0;
};

struct FarmScenario {
    farm_spec::FarmSpec spec;
    std::uint32_t seed = 1;
    std::vector<Fault> faults;
    unsigned task_buffers = 1;
    unsigned result_buffers = 1;
    std::optional<unsigned> stop_after;  // steps; the session is cut then
    std::vector<Strike> strikes;
    std::optional<std::uint16_t> never_begun;  // its monitor: it stands still at the first record that it should make
};

struct TrueStop {
    UserFunction function = UserFunction::Compute;
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint16_t node = 0;
};

struct FarmHistory {
    FarmTrace records;
    std::vector<TrueStop> stops;      // faults that happened and lost what they struck; duplicates lose nothing
    std::vector<TrueStop> left;       // what lay on a node at the end, waiting or under way; `function` means nothing
    std::vector<bool> dead;           // nodes
    std::vector<bool> cut_off;        // nodes that no link leads to any more
    std::set<std::uint32_t> at_home;  // tasks whose results the manager expected and got; of bundles that came, see in_part
    std::set<std::uint32_t> in_part;  // bundles of which a task is missing
    std::optional<std::uint16_t> never_begun;
    bool program_ended = false;
    bool cut = false;

    tmon_streams::Trace trace(tmon_streams::SessionEnd how) const { return records.trace(how); }
};

FarmHistory run_abstract_farm(const FarmScenario& scenario);

}  // namespace testing_support
