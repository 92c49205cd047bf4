// The loss-aware verdict: which task failed first, where, and how sure that is. A record that is not there proves something
// only when it is known that no record is missing.
//
// First fault: the lowest-numbered task that stopped on its own. CERTAIN means that every history which agrees with the
// records, the losses and the assumptions gives this place. The rules are in docs/formats/thesis_files.md under "certain". The
// records do not tell what failed there: the function, the node or a link. With bundles nothing is certain but that
// result_receiver() ended early. No record tells which of their tasks came back, so an earlier one may be missing.
// LIKELY: the undecided part is the last records of nodes that gave no end mark. The answer is the one that needs the fewest
// failures. When nodes fell silent, that is what stopped with the topmost of them; `process` is then only the last that was
// seen.
// UNKNOWN: lost records at a node that decides could hide that the task, or an earlier one, went on. Cost: the fault list, and
// the records of nodes with unfinished sub-tasks from the end back to where these were sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

enum class VerdictKind : std::uint8_t { None, Certain, Likely, Unknown };
const char* verdict_kind_name(VerdictKind kind);  // "none", "certain", "likely", "unknown"

struct StopPlace {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint16_t node = 0;
    Process process = Process::Compute;

    friend bool operator==(const StopPlace&, const StopPlace&) = default;
};

// One more place that the records allow. Without a task: result_receiver(), data_generator() after its last do_task(), or some
// task of a bundle. A task of a bundle has no node, either.
struct PossiblePlace {
    std::optional<std::uint32_t> task;
    SubTaskId subtask = 0;
    std::optional<std::uint16_t> node;
    std::string process;

    friend bool operator==(const PossiblePlace&, const PossiblePlace&) = default;
};

struct Verdict {
    VerdictKind kind = VerdictKind::None;
    // For a bundle, the number of its first task. Empty when there is no fault, nothing to name, or when result_receiver() is
    // named. It failed in or after the last result that it took, and no record tells which task that was.
    std::optional<std::uint32_t> task;
    std::optional<std::uint32_t> not_taken;  // result_receiver() ended early: first task whose result it did not take
    std::optional<std::uint32_t> taken;      // and how many it took according to the final report; fewer than all
    std::vector<SubTaskId> subtasks;         // with `nodes`, pairwise: where the task stopped
    std::vector<std::uint16_t> nodes;
    // In a farm that survives: its nodes, not the manager, without an end mark. Else, in a likely verdict: those below a node
    // that gave one. One of them alone explains all that is silent below it.
    std::vector<std::uint16_t> fell_silent;
    bool issued_again = false;          // some of these had tasks that another node did
    std::vector<std::uint16_t> silent;  // of `nodes` and children, those without an end mark; the node may have failed itself
    bool arrival_seen = true;           // false: somewhere it may have stopped before the process began
    // True: the sub-tasks are in `process` itself. False: on the node, before, in or behind the process, or on a link of it.
    bool in_process = false;
    std::vector<std::uint16_t> behind;  // silent children of `nodes`: it may as well be on its way to one of them, or below
    std::string process;                // as in the classic list, or two of them joined by " or "
    std::string sentence;
    std::vector<std::string> depends_on;       // losses, open ends and missing knowledge that could change the answer
    std::vector<PossiblePlace> also_possible;  // at most three that come next, in order
    std::optional<Finding> contradiction;      // the first record that contradicts the specification or another one
    std::optional<std::uint16_t> dropped_by;   // the node that dropped the message in which the task was lost
    std::vector<StopPlace> other_primary;      // stops of other tasks that nothing explains
    bool reported = false;                     // the final report says that every result came back
    bool farm_never_began = false;             // booting or loading was given up, so no task could fail; `kind` is Unknown
    // Every task with a smaller number was seen to finish. With bundles 0, since no record tells it of their tasks. Then
    // bundles_back_below has what is seen: from every bundle with a smaller number something came back.
    std::uint32_t finished_below = 0;
    std::optional<std::uint32_t> bundles_back_below;
};

// The assumptions of every verdict; one sentence each.
const std::vector<std::string>& verdict_assumptions();

Verdict judge(const tmon_streams::Trace& trace, const EventGraphs& graphs, const std::vector<FaultRow>& rows);

struct Analysis {
    EventGraphs graphs;
    std::vector<FaultRow> rows;
    Verdict verdict;
};
// The whole analysis of a trace: of its task_view(). spec.nodes must be the number of streams.
Analysis analyse(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec);

}  // namespace tmon_detrek
