// Intervals: the checkpoints of a run, the intervals of its messages, and which process knew of which checkpoint. Sections 2, 6
// and 7 of the paper (event_graph.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tmon_recovery/event_graph.hpp>

namespace tmon_recovery {

// Clock: each process takes one when so much time has passed since its last, by its own clock; a forced one restarts the time.
// Time: when the last process has begun, and then once an interval, by its own clock, which all have set at their beginning.
// Interrupt: likewise, all at once. So equal indices begin together, though processes are started one after another.
// Moments: at these times of each process' clock, for tests and traces of others.
enum class CheckpointRule : std::uint8_t { Clock, Time, Interrupt, Moments };
struct CheckpointPlan {
    CheckpointRule rule = CheckpointRule::Interrupt;
    std::int64_t interval_ns = 2'000'000'000;
    std::vector<std::vector<std::int64_t>> moments{};
};

struct Checkpoint {
    std::uint32_t index = 0;
    EventNo after = 0;         // it lies behind this event and before the next
    std::int64_t time_ns = 0;  // of the clock of the process
    bool forced = false;       // by a message of a higher index, before its receive
};

using CheckpointNo = std::uint32_t;  // place in the list of all; those of a process stand in a row

class Intervals {
public:
    // Takes the checkpoints and follows the piggybacked indices: a receive of a higher index forces a checkpoint of that index
    // before it. Indices between are skipped, and stand for the same state. Cost: messages * processes / 64 at most; memory for
    // each index processes * processes / 8 bytes.
    Intervals(const EventGraph& graph, const CheckpointPlan& plan);

    // Messages depend on each other in a circle, so this is no run, and nothing else here means anything.
    bool has_circle() const { return has_circle_; }

    const std::vector<Checkpoint>& checkpoints() const { return all_; }
    CheckpointNo first_of(ProcessNo process) const { return first_[process]; }
    CheckpointNo last_of(ProcessNo process) const { return first_[process + 1] - 1; }
    // The last one before the state behind so many events: C_{p,k}.
    CheckpointNo before(ProcessNo process, EventNo after) const;
    std::uint32_t last_index(ProcessNo process) const { return all_[last_of(process)].index; }
    std::uint32_t indices() const { return indices_; }  // one more than the highest

    CheckpointNo sent_in(MessageNo message) const { return sent_in_[message]; }
    CheckpointNo received_in(MessageNo message) const { return received_in_[message]; }  // only of one that was received

    // Row s of the knowledge matrix of an index has a bit for each r with C_{r,i} -> C_{s,i+1}. The last state of s stands in
    // for a checkpoint that it did not take. Empty rows are of processes that have no interval of the index.
    std::size_t words() const { return words_; }
    std::span<const std::uint64_t> row(std::uint32_t index, ProcessNo s) const {
        return {&rows_[(index * processes_ + s) * words_], words_};
    }
    // The same matrix by columns: which processes s know of C_{r,i}.
    std::span<const std::uint64_t> column(std::uint32_t index, ProcessNo r) const {
        return {&columns_[(index * processes_ + r) * words_], words_};
    }

    std::int64_t longest_ns() const { return longest_ns_; }  // T: the longest interval, the last ones included
    // Between the first and the last checkpoint of this index, in the time that all share.
    std::int64_t skew_ns(std::uint32_t index) const { return skew_ns_[index]; }

private:
    class Walk;
    void gather(std::vector<std::vector<Checkpoint>> taken);
    void transpose();
    void measure(const EventGraph& graph);

    std::size_t processes_ = 0, words_ = 0;
    std::uint32_t indices_ = 0;
    std::vector<Checkpoint> all_{};
    std::vector<CheckpointNo> first_{};
    std::vector<CheckpointNo> sent_in_{}, received_in_{};
    std::vector<std::uint64_t> rows_{}, columns_{};
    std::vector<std::int64_t> skew_ns_{};
    std::int64_t longest_ns_ = 0;
    bool has_circle_ = false;
};

}  // namespace tmon_recovery
