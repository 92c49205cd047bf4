// FarmActs: the calls of the user's functions on each worker, in their order, as the records of a trace show them. A process
// keeps its globals, so its earlier calls may decide what the next one does. The second phase of the thesis (Lin 1993, section
// 4.1) needs them for that. Nothing here reads the truth of a run.
//
// No record is made of a call. A part that arrived on a node and went no further was computed there. One whose branches went on
// was split there, and joined when all branches were back. A process takes its parts in the order of their arrival, unless the
// farm's policy hands them out in another one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tmon_stories/stories.hpp>

namespace tmon_stories {

enum class ActKind : std::uint8_t { Compute, Split, Join };

// One call of a worker's function. In `subtask` the part as it arrived.
struct Act {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;

    friend auto operator<=>(const Act&, const Act&) = default;
};

// Without doubts, every history with these records has these calls in this order.
struct ActList {
    std::vector<Act> acts;
    std::vector<std::string> doubts;  // clauses without full stop
};

class FarmActs {
public:
    // `stories` must outlive it. Cost: one pass over the records, and about 150 bytes a part.
    explicit FarmActs(const Stories& stories);

    // Workers on which the records allow this call, from the top of the tree.
    std::vector<std::uint16_t> places(ActKind kind, const Act& act) const;
    // The calls of the same process before this one. A call without records is taken for the last one.
    ActList before(ActKind kind, std::uint16_t worker, const Act& act) const;
    bool arrived(std::uint16_t worker, const Act& act) const;     // a record shows that the part came there
    bool went_below(std::uint16_t worker, const Act& act) const;  // a record shows it, or a branch of it, below the worker
    // The child that has a branch of a part that this worker split. In a processor farm, the child to which it was passed:
    // branch 0. Without a record it is the one that the runtime serves first.
    std::uint16_t child_of(std::uint16_t worker, const Act& act, unsigned branch) const;
    // Length of the message that brought the part, or its result upwards. Empty without a record, and for a bundle.
    std::optional<std::uint32_t> bytes(std::uint16_t worker, const Act& act, bool result) const;
    // Tasks in the order in which node 0 received their results.
    ActList results() const;
    // Reasons to doubt every answer, clauses as above.
    const std::vector<std::string>& doubts() const { return doubts_; }

private:
    using Seq = std::optional<std::uint32_t>;
    struct Visit {
        Seq sent, arrived, result_sent, result_arrived;  // numbers of the records, each in the stream of its node
        std::optional<std::uint32_t> bytes, result_bytes;
    };
    struct Known {
        Act act;
        Visit visit;
        Seq all_back;  // of a join: the record of its last part
    };
    // An order in which a process may have done its work: numbers of records in the stream of one node.
    struct Column {
        Seq (*key)(const Known&);
        std::uint16_t node = 0;
        bool at_the_end = false;  // records of results: they come when a call has ended
    };

    void take(const trace_record::Event& event);
    void note_doubts();
    Act message_of(const Act& act) const;  // of the bundle, which has the number of its first task
    const Visit* visit(std::uint16_t worker, const Act& message) const;
    bool below(std::uint16_t worker, const Act& message) const;
    SubTaskId branch_id(std::uint16_t worker, SubTaskId subtask, unsigned branch) const;
    Seq all_back(std::uint16_t worker, const Act& message) const;
    bool is_whole_until(std::uint16_t node, Seq record) const;  // without a number: to its end
    bool may_be_joined(std::uint16_t worker, const Act& message) const;
    bool below_is_known(std::uint16_t worker, const Visit& visit) const;
    std::vector<Known> candidates(ActKind kind, std::uint16_t worker) const;
    std::vector<Column> columns(ActKind kind, std::uint16_t worker) const;
    std::optional<std::vector<Known>> before_by(const Column& column, const std::vector<Known>& others, const Known& one) const;
    std::vector<Known> before_by_any(ActKind kind, std::uint16_t worker, const std::vector<Known>& others, const Known& one,
                                     ActList& list) const;
    void doubt_arrivals(std::uint16_t worker, const Act& message, ActList& list) const;
    void doubt_kinds(ActKind kind, std::uint16_t worker, const Act& message, const std::vector<Known>& before,
                     ActList& list) const;

    const Stories& stories_;
    std::vector<std::map<Act, Visit>> visits_;                      // by worker
    std::vector<std::pair<std::uint32_t, std::uint32_t>> results_;  // number of node 0's record, task
    std::vector<std::string> doubts_;
    bool in_order_ = true, stolen_ = false;
};

}  // namespace tmon_stories
