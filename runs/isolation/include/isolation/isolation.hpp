// Does one call of a user's function again on this computer. This is the second phase of the thesis (Lin 1993, sections 4.1 and
// 7.2.1). The input is rebuilt from the records of the run. The program's own functions make the task and divide it, as often
// as the sub-task's digits say, or they compute the parts of a join. Earlier calls of the same process are done first, in
// recorded order, because its globals may matter.
//
// The input is CERTAIN when every history with the same records gave the function these bytes, as long as the assumptions hold.
// LIKELY: records are missing, or the program reads its clock or its input. UNKNOWN: a record says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <farm_programs/farm_program.hpp>
#include <isolation/readings.hpp>
#include <tmon_stories/farm_acts.hpp>
#include <trek_kernel/farm_events.hpp>

namespace isolation {

using tmon_stories::Certainty;
using trek_kernel::Bytes;
using trek_kernel::UserProcess;

struct Request {
    UserProcess process = UserProcess::Compute;
    std::uint32_t task = 0;
    std::optional<trace_record::SubTaskId> subtask = {};  // as it arrived on the node; none: the only one, or the whole
    std::optional<std::uint16_t> node = {};               // none: where the records show it
    bool alone = false;                                   // without the earlier calls of the process
    std::string input = {};                               // the program's input stream
    Readings readings = {};                               // what the run has kept of clocks and input
    std::int64_t most_cycles = 20'000'000'000;            // of estimated computation a call: then it is given up
    std::vector<std::string> doubts = {};                 // known before, for instance that the program was built anew
    std::function<void()> before_call = {};               // right before the function itself
};

enum class End : std::uint8_t {
    Returned,
    MadeTask,      // data_generator() has handed out the task
    AsksForMore,   // result_receiver() asks for a result after the last one that the records show
    AsksForOther,  // result_receiver() has taken the task's result and asks for the next
    Stopped,       // a fault, or the program ended its process: see `diagnoses`
    Endless,       // given up
    NotMade,       // data_generator() ended without the task
};
const char* end_name(End end);  // "returned", "made-task", ...

// Some bytes, and how sure it is that they are the run's.
struct Claim {
    Certainty certainty = Certainty::Certain;
    std::vector<std::string> depends_on;      // what could make them others
    std::vector<std::string> contradictions;  // records that say otherwise
};

struct Isolated {
    UserProcess process = UserProcess::Compute;
    std::uint32_t task = 0;
    trace_record::SubTaskId subtask = 0;
    std::uint16_t node = 0;
    std::vector<tmon_stories::Act> earlier;  // calls of the same process that were done first
    std::vector<Bytes> input;                // a task; the parts of a join; results in the order of result_receiver()
    std::size_t taken = 0;                   // of the results in `input`
    Claim input_claim, state_claim;          // state: what the process had in its globals, and read while it ran
    std::vector<Bytes> output;               // a result; the parts of a split; the task of data_generator()
    End end = End::Returned;
    farm_programs::Diagnoses diagnoses;  // of this call
    std::string printed;
};

// The assumptions behind each claim, one sentence each.
const std::vector<std::string>& assumptions();

// Loads the module anew, so that one call of this is possible at a time. Throws vocabulary::RequestError when the records show
// no such call or several, or when the input cannot be rebuilt. The message says which. It throws as FarmProgram does, too.
// Cost: the program's own time for every call that the input and the globals rest on; at worst all tasks of the farm.
Isolated isolate(const tmon_stories::FarmActs& acts, const tmon_stories::Stories& stories, const std::string& module,
                 farm_programs::CostSource costs, const Request& request);

}  // namespace isolation
