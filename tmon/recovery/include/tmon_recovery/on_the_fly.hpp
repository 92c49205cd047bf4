// Decisions of a process about its log while it runs: section 7 of the paper (event_graph.hpp). Rules 1 and 3 at the receive.
// Other messages lie in a temporary store until the row of each process about the next index is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/logging.hpp>

namespace tmon_recovery {

using ProcessSet = std::vector<std::uint64_t>;  // a bit for each

// On each message: index and time 4 bytes each, and a bit for each process.
struct Piggyback {
    std::uint32_t index = 0;
    std::int64_t elapsed_ns = 0;
    ProcessSet knows{};
};
// A process tells all others at the end of an interval: the row of the knowledge matrix of this index. The last one it tells
// when it ends.
struct KnowledgeRow {
    ProcessNo of = 0;
    std::uint32_t index = 0;
    ProcessSet knows{};
    bool last = false;
};
struct Decision {
    MessageNo message = 0;
    LogRule rule = LogRule::None;
};

// The part of one process. Ros asks nobody: of the sender's row it takes what came on the sender's messages. Mrt waits for all.
class OnTheFlyLog {
public:
    OnTheFlyLog(ProcessNo self, std::size_t processes, Method method);

    Piggyback on_send(std::int64_t elapsed_ns) const;
    // True: a checkpoint of that index comes before the receive.
    bool forces(const Piggyback& came) const { return came.index > index_; }
    // `elapsed_ns`: since the own checkpoint. None: it lies in the temporary store.
    LogRule on_receive(MessageNo message, ProcessNo from, const Piggyback& came, std::int64_t elapsed_ns);
    // Closes the interval, and those of the indices that are skipped: rows for all others, the own ones taken in already.
    std::vector<KnowledgeRow> on_checkpoint(std::uint32_t index);
    std::vector<KnowledgeRow> on_end();
    void on_row(const KnowledgeRow& row);
    // Those about the temporary store since the last call.
    std::vector<Decision> decisions();
    // True: rows of the interval before the present one are missing, so a process at a checkpoint waits.
    bool waits() const;

private:
    struct Kept {
        MessageNo message = 0;
        ProcessNo from = 0;
    };
    struct Rows {  // of one index
        std::vector<ProcessSet> of{};
        std::size_t known = 0;
    };
    void take_row(const KnowledgeRow& row);
    bool is_known(std::uint32_t index) const;  // all rows of it
    void decide(std::uint32_t index);          // about messages that came in the interval before this index
    void decide_as_ros(std::uint32_t index, const ProcessSet& own);

    ProcessNo self_;
    std::size_t processes_;
    Method method_;
    std::uint32_t index_ = 0;
    bool ended_ = false;
    ProcessSet knows_;
    std::vector<ProcessSet> heard_;  // of Ros: of each sender, in this interval
    std::map<std::uint32_t, std::vector<Kept>> kept_{};
    std::map<std::uint32_t, Rows> rows_{};
    std::vector<std::uint32_t> last_of_{};  // index of the last row of each process
    std::vector<Decision> decided_{};
};

struct OnTheFly {
    Log log{};
    std::vector<std::int64_t> waits_ns{};  // of each process, in all: coordination
    std::size_t rows = 0;                  // that were sent to another process
    std::uint64_t row_bytes = 0, piggyback_bytes = 0;
};
// The whole run with these checkpoints. A row reaches each process `row_ns` after its checkpoint. The waits are those of a run
// that they do not delay otherwise. It logs all that log_of() does, and more where a process cannot know better.
OnTheFly on_the_fly(const EventGraph& graph, const Intervals& intervals, Method method, std::int64_t row_ns);

}  // namespace tmon_recovery
