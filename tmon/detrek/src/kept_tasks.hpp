// KeptTasks: the records of the tasks under way, and of those that an open question may still be about. Every other task is
// folded (folded_tasks.hpp). A complete task is kept in two cases. It was on an inner node when a part of an incomplete task
// came there. The rules of certainty look at what the node had then. Or it has the last arrival over some link. A message that
// arrived later proves that those before it had left. Private.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <tmon_detrek/folded_tasks.hpp>
#include <tmon_streams/stream_ledger.hpp>
#include "task_check.hpp"

namespace tmon_detrek {

class KeptTasks {
public:
    // All outlive it. ledgers: by node.
    KeptTasks(const farm_spec::FarmSpec& spec, const farm_spec::FarmTree& tree,
              const std::vector<tmon_streams::StreamLedger>& ledgers);

    // A record of class Task. False: it is about a task that was taken to be complete, so all records are needed.
    // Cost: constant; when the task may be complete, that of a TaskCheck.
    bool add(const trace_record::Event& event);

    // Records of a node came behind which others had come. Cost: a TaskCheck for each task that waits for such records.
    void gap_filled();

    const FoldedTasks& folded() const { return folded_; }
    const LongestStays& longest() const { return longest_; }
    // The least TaskCheck::Step of a worker; empty before a task of it is complete.
    const std::optional<std::int64_t>& least_step_us(std::uint16_t worker) const { return least_step_us_[worker]; }
    std::uint64_t folded_records(std::uint16_t node) const { return folded_records_[node]; }
    std::uint64_t size() const { return records_; }  // records kept
    std::size_t tasks() const { return tasks_.size(); }
    // The records of each node, in their order.
    std::vector<std::vector<trace_record::Event>> by_node() const;

private:
    struct Task {
        std::vector<trace_record::Event> records;
        std::uint64_t balance = 0;  // 0 when each send has its receive
        bool home = false;          // its result is with the manager
        bool complete = false;
        unsigned holds = 0;  // links over which it has the last arrival
        std::vector<TaskCheck::Visit> visits;
        std::vector<std::uint32_t> waiters;  // complete tasks that are kept because of this one
    };
    using Link = std::pair<std::uint16_t, std::uint16_t>;  // receiver, sender

    void completed(std::uint32_t number, Task& task, TaskCheck::Complete&& found);
    void take_last_arrivals(std::uint32_t number, Task& task);
    void fold_if_free(std::uint32_t number);
    void fold(std::uint32_t number, const Task& task);
    bool has_gap(const std::vector<TaskCheck::Visit>& visits) const;

    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
    const std::vector<tmon_streams::StreamLedger>& ledgers_;
    const TaskCheck check_;
    std::map<std::uint32_t, Task> tasks_;
    std::set<std::uint32_t> before_gaps_;                       // complete, but for a gap in the records of a node on their way
    std::vector<std::map<std::uint32_t, std::uint32_t>> came_;  // by inner node: arrivals of incomplete tasks, by number
    std::map<Link, std::pair<std::uint32_t, std::uint32_t>> last_arrival_;  // of complete tasks: number of the record, task
    FoldedTasks folded_;
    LongestStays longest_;
    std::vector<std::uint64_t> folded_records_;
    std::vector<std::optional<std::int64_t>> least_step_us_;
    std::uint64_t records_ = 0;
};

}  // namespace tmon_detrek
