// The fault list of deTrEK (thesis, Lin 1993, sections 4.3 and 6.1): where the computation of each unfinished sub-task
// stopped, one row a frontier event. It takes the records as they are; losses are the business of verdict.hpp.
//
// The names are those of the fault model (tmon_models/farm_rules.hpp). The rules, from the thesis and its printed lists:
//   Node 0 has no send of a task that other nodes have: data_generator() on node 0.
//   Sub-task sent, not received: Distributing on the receiver.
//   Received, nothing passed down, no result: comp_fn() on a leaf or in a processor farm, else split_fn()/comp_fn().
//   Result sent, not received: Collecting on the parent.
//   Results of branches received, no result of the whole: join_fn(), one row a received result.
//   Branch never sent: split_fn()/comp_fn(). Printed only when every branch that was sent has come back: before that, the
//   branch is no frontier event.
//   Result received in a processor farm, not passed on: Collecting on the node's parent, the place of the next expected event.
//   Stolen task that did not reach its thief: Distributing on the node that should send it on.
//   Unanticipated message (section 3.4.1): the process and node that made it.
// In a farm that survives, the parent of a silent node gets its sub-tasks back. A bundle has the number of its first task. A
// sub-task is done once the parent has recorded its result, even if records below are missing. Rows are sorted by task, node
// and sub-task. Cost: the tasks seen, plus the edges of every unfinished task.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>

namespace tmon_detrek {

enum class Process : std::uint8_t { DataGenerator, Distributing, SplitOrCompute, Compute, Join, Collecting, ResultReceiver };
std::string_view process_name(Process process);  // as the thesis prints it
// The process of a farm with this name in its fault model. Throws vocabulary::RequestError when there is none.
Process process_named(const std::string& name);

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
    NotSentAgain,    // returned to the parent, or lost with a silent node below, and not sent to another
    Unanticipated,   // a message that the specification, or another record, does not allow
};
std::string_view stop_kind_name(StopKind kind);  // "not-received", ...: the column Error of a .bug

struct FaultRow {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint16_t node = 0;  // as printed
    Process process = Process::Compute;
    StopKind kind = StopKind::Held;
    std::uint16_t worker = 0;  // node of the sub-task that stopped
    SubTaskId stopped = 0;     // its id: in a join, the whole; `subtask` is the branch
    bool listed = true;        // part of the classic list
    std::string label = {};    // the process by its name in the fault model of a program that is no farm; else empty

    friend bool operator==(const FaultRow&, const FaultRow&) = default;
};

std::string_view row_process(const FaultRow& row);  // its label, or the name of its process

std::vector<FaultRow> fault_list(const EventGraphs& graphs);

// The rows of one task, listed or not, in no particular order.
void rows_of_task(const EventGraphs& graphs, std::uint32_t task, std::vector<FaultRow>& rows);

// Title, heading and rows as the thesis prints them.
std::string classic_list(const std::vector<FaultRow>& rows, const farm_spec::FarmSpec& spec);
// Four or more hexadecimal digits, "0010"; in a processor farm a plain number, "0".
std::string subtask_text(SubTaskId subtask, const farm_spec::FarmSpec& spec);
// By task, node, sub-task, process and kind.
void sort_rows(std::vector<FaultRow>& rows);

}  // namespace tmon_detrek
