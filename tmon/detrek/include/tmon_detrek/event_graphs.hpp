// EventGraphs: the event graphs of all tasks (thesis, Lin 1993, sections 4.2 and 5.4.2) in one flat table. A sub-task moves
// over one edge of the tree, down as a task and up as a result; its four events are four bits. The coalesced graph of a task is
// the set of its edges, and every question about vertices and arcs is a question about bits. Cost: one pass over the records, a
// few nanoseconds each; one byte a sub-task, nothing allocated per event.
//
// A stolen task goes back up its edge as a task, which undoes its way down: each end clears the bit of its event. A second bit
// at each end tells whether the number of returns is odd. The two bits differ while only one end has recorded the latest
// return.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/folded_tasks.hpp>
#include <tmon_models/farm_rules.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

using trace_record::Event;
using trace_record::EventKind;
using trace_record::LossCause;
using trace_record::LossRange;
using trace_record::SubTaskId;

// Ways in which a record can contradict the specification. Such a record takes no part in the graphs.
enum class Contradiction : std::uint8_t {
    WrongNode,          // recorded in the stream of another node
    WrongNeighbour,     // the two nodes are not parent and child, or the direction does not fit them
    UnknownTask,        // a task number of NumTasks or more, or not the first of a bundle
    ImpossibleSubTask,  // an id that no split of this degree and depth gives on this node
    Repeated,           // the same event of the same sub-task a second time
    ResultBeforeTask,   // a result on a node that never had the task (only where no record is missing)
    NeverSent,          // arrived from a neighbour that has no record of sending it, and none of its records is missing
    SentTwice,          // sent to a second child though the first has it (never in a farm that survives dead nodes)
    NotItsOwn,          // part of a sub-task that the sender has not received (only where no record is missing)
    LeftBehind,         // result sent up while a part was still below (no record missing, no survival of dead nodes)
};
inline constexpr std::size_t contradiction_kinds = 10;
const char* contradiction_text(Contradiction kind);
const char* contradiction_name(Contradiction kind);  // "wrong-node", "repeated", ...: for programs

struct Finding {
    Contradiction kind = Contradiction::WrongNode;
    std::uint16_t node = 0;  // stream
    Event event;             // the record itself, or the one that shows that another is missing
};
// "n3:17: the same event of the same sub-task a second time"
std::string finding_text(const Finding& finding);

class EventGraphs {
public:
    // Events of one sub-task at one worker, the lower end of the edge.
    static constexpr std::uint8_t sent = 1;             // by the parent
    static constexpr std::uint8_t received = 2;         // by the worker
    static constexpr std::uint8_t result_sent = 4;      // by the worker
    static constexpr std::uint8_t result_received = 8;  // by the parent
    static constexpr std::uint8_t gave_back = 16;       // by the worker, an odd number of times
    static constexpr std::uint8_t took_back = 32;       // by the parent, an odd number of times
    static constexpr std::uint8_t moved_back = 64;      // at least once, by either

    // Edges to all nodes that can be given one sub-task: the children of a node. It is under way over one of them at a time.
    using Choice = std::vector<std::uint32_t>;

    // A place in the tree where sub-tasks of one id can be: worker and id.
    struct Edge {
        std::uint16_t worker = 1;
        SubTaskId subtask = 0;
        std::optional<std::uint32_t> above;  // edge of the sub-task this one was split from; none below node 0
        unsigned branch = 0;
        std::vector<Choice> branches;  // by branch, as far as records show them
    };

    // spec must fit the trace: spec.nodes streams, of task events only (task_view()). None needs to outlive the call. The
    // trace has no record of a folded task. Without rules, those of the specification's built-in model.
    EventGraphs(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const FoldedTasks& folded = {});
    EventGraphs(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const FoldedTasks& folded,
                tmon_models::FarmRules rules);

    const farm_spec::FarmSpec& spec() const { return spec_; }
    const tmon_models::FarmRules& rules() const { return rules_; }
    const farm_spec::FarmTree& tree() const { return tree_; }
    const std::vector<Edge>& edges() const { return edges_; }
    const Choice& roots() const { return roots_; }  // edges of the whole task between node 0 and its children

    std::uint8_t bits(std::uint32_t edge, std::uint32_t task) const {
        const auto& pages = pages_[edge];
        const std::size_t page = task >> page_bits;
        return page < pages.size() && pages[page] ? pages[page][task & page_mask] : std::uint8_t{0};
    }
    // Fate of a sub-task that may be sent over one of these edges.
    struct Standing {
        bool back = false;      // its result was received
        bool open = false;      // it is under way
        bool returned = false;  // not under way: it came back up, or its holder fell silent in a farm that survives
    };
    Standing standing(const Choice& choice, std::uint32_t task) const;
    // True when the task was sent over this edge and the worker still owns it.
    bool is_open(std::uint32_t edge, std::uint32_t task) const;
    // These events of an edge, and those that must have come before them there. Not for a task that was given back.
    static constexpr std::uint8_t with_earlier(std::uint8_t bits) {
        unsigned all = bits;
        if ((all & result_received) != 0) all |= result_sent;
        if ((all & result_sent) != 0) all |= received;
        if ((all & received) != 0) all |= sent;
        return static_cast<std::uint8_t>(all);
    }
    // True when the worker gave the task back and the parent has no record of that.
    static bool on_its_way_back(std::uint8_t bits) {
        return (bits & (sent | received)) == sent && ((bits & gave_back) != 0) != ((bits & took_back) != 0);
    }
    bool finished(std::uint32_t task) const {
        if (folded_.has(task)) return true;
        for (const std::uint32_t root : roots_) {
            if ((bits(root, task) & result_received) != 0) return true;
        }
        return false;
    }
    // Sub-tasks that were sent to a second child while the first had them.
    std::uint64_t sent_again() const { return sent_again_; }
    // True when the node has not returned everything that was sent to it. Parts of finished tasks count too.
    bool has_outstanding(std::uint16_t worker) const;
    // True when the parent has recorded any result of this worker.
    bool has_returned(std::uint16_t worker) const;
    // True in a farm that survives when all children of the manager are silent: the manager does the rest itself.
    bool manager_is_alone() const;
    bool has_events(std::uint32_t task) const;
    // Number of the task or bundle after this one.
    std::uint32_t next(std::uint32_t task) const { return task + spec_.granularity; }
    const FoldedTasks& folded() const { return folded_; }
    // The first task that any question can be about: all before it are folded.
    std::uint32_t first_task() const { return folded_.first_kept(); }
    // One more than the highest task number with an event.
    std::uint32_t tasks_seen() const { return tasks_seen_; }
    std::uint32_t tasks_with_events() const;

    std::uint64_t events() const { return events_; }
    std::uint64_t findings() const;
    std::uint64_t findings(Contradiction kind) const { return counts_[static_cast<std::size_t>(kind)]; }
    const std::vector<Finding>& first_findings() const { return first_findings_; }  // at most 1000

    struct Unmatched {
        std::uint64_t sends = 0;
        std::uint64_t receives = 0;
    };
    Unmatched unmatched() const;

private:
    static constexpr unsigned page_bits = 10;
    static constexpr std::uint32_t page_size = 1u << page_bits;
    static constexpr std::uint32_t page_mask = page_size - 1;
    class Scan;

    std::optional<std::uint32_t> edge_of(std::uint16_t worker, SubTaskId subtask);
    const std::uint8_t* page(std::uint32_t edge, std::size_t number) const;
    std::uint8_t& slot(std::uint32_t edge, std::uint32_t task);
    void find_never_sent(const tmon_streams::Trace& trace);
    void find_disorder(const tmon_streams::Trace& trace);
    void check_against_above(const tmon_streams::Trace& trace, std::uint32_t edge, std::uint32_t above);
    void check_choice(const tmon_streams::Trace& trace, const Choice& choice, bool whole);  // whole: the sender's records
    void report_send(Contradiction kind, const tmon_streams::Trace& trace, std::uint32_t edge, std::uint32_t task);
    void report_arrival(const tmon_streams::Trace& trace, std::uint32_t edge, std::uint32_t task, bool result);
    bool something_followed(const tmon_streams::Stream& stream, const Event& arrival) const;
    bool waits_for_its_monitor(const tmon_streams::Trace& trace, std::uint16_t sender) const;
    bool is_first_from(const tmon_streams::Stream& stream, const Event& arrival) const;
    void report(Contradiction kind, std::uint16_t node, const Event& event);
    void count(Contradiction kind) { ++counts_[static_cast<std::size_t>(kind)]; }

    farm_spec::FarmSpec spec_;
    tmon_models::FarmRules rules_;
    farm_spec::FarmTree tree_;
    FoldedTasks folded_;
    std::vector<bool> silent_;
    std::vector<Edge> edges_;
    Choice roots_;
    std::vector<std::vector<std::unique_ptr<std::uint8_t[]>>> pages_;          // by edge, by task / page_size
    std::vector<std::vector<std::pair<SubTaskId, std::uint32_t>>> of_worker_;  // edges by worker, ascending by sub-task
    std::uint32_t tasks_seen_ = 0;
    std::uint64_t events_ = 0, sent_again_ = 0;
    std::array<std::uint64_t, contradiction_kinds> counts_{};
    std::vector<Finding> first_findings_;
};

}  // namespace tmon_detrek
