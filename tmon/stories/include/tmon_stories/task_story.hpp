// TaskStory: one task as the records have it. Its parts on each node, the messages that moved them, and where each open part is
// now. "Now" is the end of the records. Nothing here reads the truth of a run.
//
// A place is CERTAIN when every history that agrees with the records, the known losses and the assumptions of the verdict has
// the part there. LIKELY: only the last records of silent nodes, or the end of the session, leave it open. UNKNOWN: lost
// records, or records that contradict each other, could hide that it went on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_detrek/fault_list.hpp>

namespace tmon_stories {

using tmon_detrek::Process;
using tmon_detrek::StopKind;
using trace_record::SubTaskId;

enum class Certainty : std::uint8_t { Certain, Likely, Unknown };
const char* certainty_name(Certainty certainty);  // "certain", "likely", "unknown"

// A record of the trace. Its text "n3:17" is node and sequence number.
struct RecordId {
    std::uint16_t node = 0;
    std::uint32_t seq = 0;
    std::uint64_t time_us = 0;  // clock of that node

    friend bool operator==(const RecordId&, const RecordId&) = default;
};
std::string record_text(const RecordId& record);

enum class Cargo : std::uint8_t { Task, Result, GivenBack };  // GivenBack: a stolen task on its way up
const char* cargo_name(Cargo cargo);                          // "task", "result", "given-back"

// A message of the task, or of a part of it, over one edge of the farm's tree. One end at least was recorded.
struct Move {
    Cargo cargo = Cargo::Task;
    std::uint16_t from = 0, to = 0;
    SubTaskId subtask = 0;
    std::optional<RecordId> sent, received;
    bool again = false;    // the part had been on its way down before: stolen, or issued again
    bool guessed = false;  // the two ends may belong to different messages: records are missing and it moved more than once
};

// A part of the task on one worker. In a processor farm the task itself, on each worker that had it.
struct Part {
    std::uint16_t worker = 0, parent = 0;
    SubTaskId subtask = 0;
    unsigned branch = 0;               // of the part above
    std::optional<std::size_t> above;  // index of the part that it was split from, or passed on by; none below node 0
    std::vector<std::size_t> below;
    std::vector<Move> moves;    // in order
    std::uint8_t recorded = 0;  // bits of EventGraphs, from its records
    std::uint8_t known = 0;     // the same, with what follows from other records

    bool has(std::uint8_t bit) const { return (known & bit) != 0; }
};

enum class Where : std::uint8_t {
    On,          // on `node`
    OnOrBehind,  // on `node`, on its way to a child that fell silent, there, or below that
    OnTheWay,    // sent by `from`, not taken by `node`
    AtOrBelow,   // on `node`, on its link to the node above, or on a node or link below it
    NotSent,     // node 0 has not sent it
};
const char* where_name(Where where);  // "on", "on-or-behind", "on-the-way", "at-or-below", "not-sent"

struct Place {
    Certainty certainty = Certainty::Unknown;
    Where where = Where::On;
    std::uint16_t node = 0, from = 0;
    std::optional<std::uint16_t> within;  // certainly on this node, its link upwards, or below it; 0: in the farm
    std::vector<std::uint16_t> silent;    // of `node`, `from` and their children, those without an end mark
    std::vector<RecordId> rests_on;
    std::vector<std::string> depends_on;  // losses, open ends and doubts that could change the answer
};

// Where an open part stopped, or waits.
struct Stop {
    std::size_t part = 0;   // index; of the whole when a branch of it was not sent
    SubTaskId subtask = 0;  // the part's, or that of the branch
    StopKind kind = StopKind::Held;
    Process process = Process::Compute;
    Place place;
};

struct TaskStory {
    std::uint32_t task = 0, last = 0;  // the same, or the first and last task of a bundle
    bool finished = false;
    std::optional<RecordId> finished_by;  // node 0 received the result; none when only the final report says so
    std::vector<Part> parts;              // each after the one above it
    std::vector<Stop> stops;              // of the open parts; none when finished. One without parts: the task was not sent
    std::vector<RecordId> contradictory;  // its records that fit no part of it; they take no part in the story
    std::vector<std::string> doubts;      // what keeps every place from being certain
    bool told_in_part = false;            // some end of a message was not recorded
    Certainty certainty = Certainty::Certain;  // the least certain place
};

}  // namespace tmon_stories
