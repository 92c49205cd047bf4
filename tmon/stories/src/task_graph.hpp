// TaskGraph: the processes and events of one task, as vertices of its event graph. Private.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <tmon_stories/stories.hpp>

namespace tmon_stories {

struct GraphEvent {
    std::string words;  // "send 0010 to n3"; "source", "sink"
    std::optional<RecordId> record;
    bool pseudo = false;  // source and sink
    bool frontier = false;
    // Without a record and no pseudo event: it happened, as follows from other records.
    bool lost() const { return !pseudo && !record; }
};

struct GraphProcess {
    std::string name;  // "split_fn()"
    std::uint16_t node = 0;
    SubTaskId subtask = 0;
    std::vector<GraphEvent> first, then;  // each of `first` comes before each of `then`
    unsigned wanted = 0;                  // events of a complete vertex; 0: not known
    bool frontier = false;                // of the coalesced graph

    std::size_t count() const { return first.size() + then.size(); }
    bool complete() const { return wanted > 0 && count() == wanted; }
};

struct GraphVertex {  // an event: process, and place in it
    std::size_t process = 0;
    bool in_then = false;
    std::size_t number = 0;
};
struct GraphArc {
    GraphVertex from, to;
    bool result = false;
    bool guessed = false;
};

struct TaskGraph {
    std::vector<GraphProcess> processes;
    std::vector<GraphArc> messages;
};

TaskGraph graph_of(const Stories& stories, const TaskStory& story);

}  // namespace tmon_stories
