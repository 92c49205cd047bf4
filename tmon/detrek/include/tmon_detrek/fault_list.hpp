// The fault list of deTrEK (thesis, Lin 1993, sections 4.3 and 6.1): where the computation of each unfinished sub-task stopped,
// one row a frontier event. It takes the records as they are and knows nothing of losses; verdict.hpp does.
//
// Read with the printed lists, the thesis' rules come to this. Node 0 has no send of a task that others have: data_generator()
// on node 0. A sub-task sent and not received: Distributing on the node that should have it. Received, nothing passed down, no
// result: comp_fn() on a leaf or in a processor farm, else split_fn()/comp_fn(). A result sent and not received: Collecting on
// the parent. Results of branches received and no result of the whole: join_fn(), one row per result received. A branch never
// sent: split_fn()/comp_fn(). It is printed only when every branch that was sent has come back, for until then it is no
// frontier event. In a processor farm, a result received and not passed on: Collecting on the node's parent, the place of the
// next expected event. A task that was stolen and did not get to its thief: Distributing on the node that should send it on. In
// a farm that survives, what a silent node had is its parent's again. A bundle has the number of its first task. A sub-task
// whose result the parent recorded is done, whatever records of it are missing below. Rows come by task, then node, then
// sub-task. Cost: the tasks seen, plus the edges of every unfinished task.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>

namespace tmon_detrek {

enum class Process : std::uint8_t { DataGenerator, Distributing, SplitOrCompute, Compute, Join, Collecting, ResultReceiver };
std::string_view process_name(Process process);  // as the thesis prints it

// How a sub-task stopped, finer than the printed process.
enum class StopKind : std::uint8_t {
    NotGenerated,    // node 0 never sent it, though others have it
    NotReceived,     // sent by the parent, not received by the worker
    Held,            // received, nothing passed down, no result
    BranchNotSent,   // other branches were sent, this one was not
    JoinReady,       // every branch has come back, no result of the whole
    JoinWaiting,     // some branches have come back, others have not
    ForwardPending,  // a processor farm's worker has a result from below and did not pass it on
    ResultNotTaken,  // the worker sent its result, the parent did not receive it
    GivenBack,       // a stolen task that the worker gave back; the parent has no record of it
    NotSentAgain,    // it came back up to the parent, or fell silent with a node below, and was not sent to another
};

struct FaultRow {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint16_t node = 0;  // as printed
    Process process = Process::Compute;
    StopKind kind = StopKind::Held;
    std::uint16_t worker = 0;  // node of the sub-task that stopped
    SubTaskId stopped = 0;     // its id: in a join that of the whole, while `subtask` is the branch
    bool listed = true;        // part of the classic list

    friend bool operator==(const FaultRow&, const FaultRow&) = default;
};

std::vector<FaultRow> fault_list(const EventGraphs& graphs);

// The rows of one task, listed or not, in no particular order.
void rows_of_task(const EventGraphs& graphs, std::uint32_t task, std::vector<FaultRow>& rows);

// Title, heading and rows as the thesis prints them. raw_ids: prints the sub-task as a plain number. In a processor farm it
// always is one.
std::string classic_list(const std::vector<FaultRow>& rows, const farm_spec::FarmSpec& spec, bool raw_ids);
std::string subtask_text(SubTaskId subtask, const farm_spec::FarmSpec& spec, bool raw_ids);

}  // namespace tmon_detrek
