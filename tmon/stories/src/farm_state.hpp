// Shared by all stories of a trace: its analysis, the records of tasks, what is outstanding on each node. Private.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tmon_detrek/verdict.hpp>
#include <tmon_stories/stories.hpp>

namespace tmon_stories {

using tmon_detrek::EventGraphs;
using trace_record::Event;
using trace_record::EventKind;

struct Stories::State {
    State(const tmon_streams::Trace& whole, const farm_spec::FarmSpec& spec);

    const farm_spec::FarmSpec& spec() const { return analysis.graphs.spec(); }
    const farm_spec::FarmTree& tree() const { return analysis.graphs.tree(); }
    bool silent(std::uint16_t node) const { return trace.streams[node].state == tmon_streams::StreamState::Open; }
    // The task's records, by node and number. Cost for a finished task: a pass over all records.
    std::vector<Event> records_of(std::uint32_t task) const;

    tmon_streams::Trace trace;  // task events only
    tmon_detrek::Analysis analysis;
    std::vector<std::string> doubts;  // nothing is certain with one of these
    bool broken = false;              // with one of them nothing is even likely
    // Parts of unfinished tasks, in the order of the parent's sends where these are recorded.
    std::vector<std::vector<Awaited>> outstanding;  // by worker
    std::unordered_map<std::uint32_t, std::vector<Event>> unfinished;

private:
    void note_doubts();
    void gather();
    void note_outstanding();
};

// Builds the story of a task from its records.
TaskStory tell(const Stories::State& state, std::uint32_t task);
WaitChain chain_of(const Stories::State& state, std::uint32_t task);

}  // namespace tmon_stories
