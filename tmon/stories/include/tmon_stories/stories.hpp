// Stories: the stories of all tasks of a trace, and the chains of waits between them. The event graphs and their frontiers are
// those of the thesis (Lin 1993, section 4.2).
#pragma once

#include <cstdint>
#include <memory>

#include <tmon_detrek/verdict.hpp>
#include <tmon_stories/task_story.hpp>
#include <tmon_stories/wait_chain.hpp>

namespace tmon_stories {

class Stories {
public:
    struct State;  // private to the component

    // spec must be of a farm and fit the trace: spec.nodes streams. The trace keeps its records alive; neither needs to outlive
    // the call. Cost: the analysis of deTrEK, and one more pass over the records.
    Stories(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec);
    ~Stories();
    Stories(const Stories&) = delete;
    Stories& operator=(const Stories&) = delete;

    const farm_spec::FarmSpec& spec() const;
    const tmon_streams::Trace& trace() const;  // task events only
    const tmon_detrek::Analysis& analysis() const;

    // Throws vocabulary::RequestError for a task or part that the farm cannot have; the message says the range.
    TaskStory story(std::uint32_t task) const;
    // Only that part: the parts above it, and those it was split into.
    TaskStory story(std::uint32_t task, SubTaskId subtask) const;
    // The chain of waits from the task down to its root.
    WaitChain why(std::uint32_t task) const;

private:
    std::unique_ptr<State> state_;
};

}  // namespace tmon_stories
