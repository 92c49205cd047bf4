// The loss-aware verdict: the task that failed first, the place, and how sure that is. An absent record proves something only
// where no record can be missing.
//
// First fault: the lowest-numbered task that stopped on its own. CERTAIN: every history that agrees with the records, the
// losses and the assumptions gives this place. The rules are in docs/formats/thesis_files.md under "certain". The records do
// not say whether the function, the node or a link failed there. With bundles, only an early end of result_receiver() can be
// certain. No record says which tasks of a bundle came back, so an earlier one may be missing. LIKELY: only the last records
// of nodes without an end mark are undecided. The answer needs the fewest failures. When nodes fell silent, it names the stop
// at the topmost of them, and `process` is the last process seen there. UNKNOWN: lost records of a deciding node could hide
// that the task, or an earlier one, went on. Cost: the fault list, and the records of nodes with unfinished sub-tasks, from
// the end back to the sends of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_models/fault_model.hpp>
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

// Another place that the records allow. Without a task: result_receiver(), data_generator() after its last do_task(), or an
// unknown task of a bundle, which has no node either.
struct PossiblePlace {
    std::optional<std::uint32_t> task;
    SubTaskId subtask = 0;
    std::optional<std::uint16_t> node;
    std::string process;

    friend bool operator==(const PossiblePlace&, const PossiblePlace&) = default;
};

// Another history with the same records: it assumes what the lost records said.
struct CounterHistory {
    std::vector<Event> records;         // the lost records, with numbers of the gaps; their times are not known
    std::uint64_t unlisted = 0;         // more lost records, of tasks that finished or of other classes
    std::optional<std::uint32_t> task;  // the answer in this history, as in a Verdict
    std::vector<SubTaskId> subtasks;
    std::vector<std::uint16_t> nodes;
    std::string process;
    std::string text;  // "if these records were lost: n1 sent task 7 to n2, then task 7 stopped in comp_fn() on node 2"
};

struct Verdict {
    VerdictKind kind = VerdictKind::None;
    // For a bundle, the number of its first task. Empty without a fault, without anything to name, or when result_receiver()
    // is named. That function failed in or after the last result it took, and no record says which task that was.
    std::optional<std::uint32_t> task;
    std::optional<std::uint32_t> not_taken;  // result_receiver() ended early: first task whose result was not taken
    std::optional<std::uint32_t> taken;      // and the number taken, from the final report; fewer than all
    std::vector<SubTaskId> subtasks;         // with `nodes`, pairwise: where the task stopped
    std::vector<std::uint16_t> nodes;
    // In a farm that survives: all workers without an end mark. Else, in a likely verdict: silent nodes right below a node
    // with an end mark. Each of them alone explains all silence below it.
    std::vector<std::uint16_t> fell_silent;
    bool issued_again = false;          // another node did tasks of some of these
    std::vector<std::uint16_t> silent;  // of `nodes` and children, those without an end mark; the node itself may have failed
    bool arrival_seen = true;           // false: it may have stopped before the process began
    // True: the sub-tasks are in `process` itself. False: they are anywhere on the node or on one of its links.
    bool in_process = false;
    std::vector<std::uint16_t> behind;  // silent children of `nodes`: it may be on its way to one of them, or below
    std::string process;                // as in the classic list, or two of them joined by " or "
    std::string sentence;
    std::vector<std::string> depends_on;       // losses, open ends and missing knowledge that could change the answer
    std::vector<PossiblePlace> also_possible;  // the next three at most, in order
    std::optional<Finding> contradiction;      // the first record that contradicts the specification or another one
    std::optional<std::uint16_t> dropped_by;   // the node that dropped the message in which the task was lost
    std::vector<StopPlace> other_primary;      // unexplained stops of other tasks
    struct Inferred {
        std::uint16_t node = 0;
        std::uint32_t records = 0;
    };
    std::vector<Inferred> inferred;          // lost records that follow from those of other nodes; they hide nothing
    std::optional<std::uint32_t> histories;  // all that agree with the lost records were compared: each gives this answer
    // One beside a likely answer, two that differ beside an unknown one. Empty: none was found, or losses allow none.
    std::vector<CounterHistory> counter_histories;
    std::vector<Event> deciding;    // the least set of lost records that would decide, at most three; empty: not known
    bool reported = false;          // the final report says that every result came back
    bool farm_never_began = false;  // boot or load failed, so no task could fail; `kind` is Unknown
    // Every task with a smaller number was seen to finish. 0 with bundles, whose records do not show single tasks. For those,
    // bundles_back_below counts: every bundle with a smaller number returned something.
    std::uint32_t finished_below = 0;
    std::optional<std::uint32_t> bundles_back_below;
    std::string model, unit;               // of a program that is no farm: its fault model, and the word for `task`; else empty
    std::vector<std::string> processes;    // of a program that is no farm: with `nodes`, pairwise
    std::vector<std::string> assumptions;  // of the fault model, a sentence each
};

struct Analysis {
    EventGraphs graphs;
    std::vector<FaultRow> rows;           // where sub-tasks stopped: the list of fault_list()
    std::vector<FaultRow> unanticipated;  // messages that should not have been
    Verdict verdict;

    // Both lists in one, as deTrEK prints them: the rows that are listed, sorted.
    std::vector<FaultRow> printed_rows() const;
};
// The whole analysis of a trace, on its task_view(). spec.nodes must be the number of streams. `folded`: tasks without records
// in the trace, of which nothing more can come.
// Throws vocabulary::RequestError when the specification names a fault model that is not built in.
Analysis analyse(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const FoldedTasks& folded = {});
// By another fault model, which must be fixed (tmon_models::FaultModel::is_fixed()).
Analysis analyse(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const tmon_models::FaultModel& model);

}  // namespace tmon_detrek
