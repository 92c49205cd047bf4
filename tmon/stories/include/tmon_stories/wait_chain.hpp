// WaitChain: what a task waits for, link by link, down to the part that waits for nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_stories/task_story.hpp>

namespace tmon_stories {

enum class Wait : std::uint8_t {
    ForParts,        // a whole for its parts
    ForRoom,         // on its way to a node that does not take it: that has others
    ForChild,        // on a node until one below takes it, or a part of it
    ForComputation,  // on a node behind another task
    ForParent,       // a result, until the node above takes it
    ForSending,      // not sent by node 0, until a node below it takes another, or behind one that is not sent either
    ForReceiver,     // left where it was: result_receiver() takes no more results
    Root,            // waits for nothing that the records show
};
const char* wait_name(Wait wait);  // "for-parts", ..., "root"

// One of the parts that something waits for.
struct Awaited {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint16_t node = 0;

    friend bool operator==(const Awaited&, const Awaited&) = default;
};

struct WaitLink {
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint16_t node = 0;  // of the part, or to which it is on its way
    StopKind kind = StopKind::Held;
    std::string process;  // as in the list of faults; of a root that the verdict names, as there
    Place place;          // where it is
    Wait wait = Wait::Root;
    Certainty certainty = Certainty::Unknown;  // that it waits for that, or stopped there by itself
    // The first one is the next link. A whole needs all of them. For every other wait one of them may be enough.
    std::vector<Awaited> awaits;
};

struct WaitChain {
    std::uint32_t task = 0, last = 0;
    bool finished = false;
    std::optional<RecordId> finished_by;
    std::vector<WaitLink> links;  // the last one is the root; empty when finished
    bool root_is_the_verdicts = false;
    bool root_in_process = false;  // the verdict is certain that it is in the process itself, and not before or behind it
    std::string verdict;           // its sentence
    Certainty certainty = Certainty::Certain;  // of the least certain link
};

}  // namespace tmon_stories
