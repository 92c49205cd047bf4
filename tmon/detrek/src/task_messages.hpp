// TaskMessages: what the records leave open about the messages of one task. A message has two ends, and each node records its
// own. So a message happened, did not happen, or is open: an end that lost records, or that fell silent, may hide it. The
// virtual machine allows only some of the open messages together (thesis, Lin 1993, section 4.1).
//   Nothing goes down or up that did not come down. A whole goes up when everything that was passed down is back.
//   A split passes down every part before its whole goes up; part j goes to child j modulo the number of children.
//   In a processor farm, and below node 0, a task goes to one child.
// The last result of a worker may wait for room, and then its arrival is not recorded (waiting_results.hpp).
// Functions that make messages of their own are outside the verdict's assumptions. Private: histories.cpp uses it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/event_graphs.hpp>
#include <tmon_streams/trace.hpp>
#include "gap_filling.hpp"
#include "waiting_results.hpp"

namespace tmon_detrek {

class TaskMessages {
public:
    using Option = std::vector<LostEvent>;  // what nodes that lost records have lost of the task

    struct Reading {
        std::vector<Option> options;  // one of these, without repetition
        // Workers to which a finished task may also have gone, and back, without any other trace.
        std::vector<std::uint16_t> detours;
    };

    // graphs must outlive it. The trace is a task_view() for which has_told_losses().
    TaskMessages(const tmon_streams::Trace& trace, const EventGraphs& graphs);

    // Empty when the records leave more open than this class tells, or more options than `most_steps` of search show. That is
    // subtracted from it. A finished task has one option.
    std::optional<Reading> read(std::uint32_t task, std::uint64_t& most_steps);
    // True when some task has a message that its sender may not have recorded. A silent node recorded its arrival, and the link
    // may have failed before the sender knew. The readings take it as recorded and lost, so they are not all.
    bool leaves_out_some() const { return leaves_out_some_; }

private:
    enum class NodeKind : std::uint8_t {
        Whole,
        Lossy,
        Dark
    };                                                        // all on record; some lost, and counted; anything may be missing
    enum class State : std::uint8_t { No, Yes, Open, Dark };  // Dark: no node that counts its losses would know of it

    struct Link {
        std::uint16_t worker = 0;
        SubTaskId subtask = 0;
        std::optional<std::size_t> above;
        std::uint8_t have = 0;
        State down = State::No, up = State::No;
        std::size_t first_sibling = 0;
        bool waits = false;  // its result went up and may have no record above
    };

    NodeKind kind(std::uint16_t node) const { return kinds_[node]; }
    std::uint16_t parent_of(std::uint16_t worker) const { return *graphs_.tree().parent(worker); }
    std::uint8_t bits(std::uint16_t worker, SubTaskId subtask, std::uint32_t task) const;
    State state(std::uint16_t worker, bool on_record) const;
    bool may_wait(const Link& link, std::uint32_t task) const;
    bool expand(std::uint32_t task);
    void add(std::uint16_t worker, SubTaskId subtask, std::optional<std::size_t> above, std::size_t first, std::uint32_t task);
    bool all_seen(std::uint32_t task) const;
    bool is_clear(std::uint32_t task) const;

    Reading of_finished(std::uint32_t task);
    void close();
    bool close_up(Link& link);
    bool close_siblings(std::size_t number);

    bool choose(std::size_t number, std::uint32_t task, std::uint64_t& most_steps, Reading& reading);
    bool choose_waiting(std::size_t number, std::uint32_t task, std::uint64_t& most_steps, Reading& reading);
    bool fits(std::size_t number) const;
    Option lost(std::uint32_t task) const;

    const EventGraphs& graphs_;
    const LastArrivals arrivals_;
    const WaitingResults waiting_;
    std::vector<NodeKind> kinds_;
    std::vector<bool> dark_below_;  // the node and all below it are dark
    std::map<std::pair<std::uint16_t, SubTaskId>, std::uint32_t> edge_of_;
    bool leaves_out_some_ = false;
    std::vector<Link> links_;  // of the task in hand, from the top
};

}  // namespace tmon_detrek
