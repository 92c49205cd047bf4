// `why TASK` and `story TASK [SUBTASK]`: one task, from the records that the host has at this moment. No truth is read.
#include <nlohmann/json.hpp>

#include <text/shell_words.hpp>
#include <tmon_stories/story_report.hpp>
#include <vocabulary/source_position.hpp>

#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"
#include "traces/stored_farm.hpp"

namespace cli {

using vocabulary::RequestError;

namespace {

// A number typed wrongly is a wrong request here.
std::uint32_t typed(std::uint32_t (*number)(const std::string&), const std::string& text) {
    try {
        return number(text);
    } catch (const CLI::Error& error) {
        throw RequestError(error.what());
    }
}

}  // namespace

tmon_streams::Trace ShellMachine::collected() const {
    if (without_farm()) throw RequestError("there is no farm, and so no task; give 'magicwire shell' a scenario with one");
    const bool ended = stage_ == Stage::Ended;
    if (ended && result().observed.trace) return *result().observed.trace;
    tmon_streams::Trace trace = ended ? tmon_streams::Trace() : live().collected();
    if (trace.streams.empty())
        throw RequestError("the scenario is not monitored, so there are no records; add a 'monitor:' to it");
    return trace;
}

ShellAnswer ShellMachine::why_of_task(const std::string& task) {
    const tmon_stories::Stories stories(collected(), scenario_.farm);
    const tmon_stories::WaitChain chain = stories.why(typed(task_number, task));
    return {.text = held_text() + tmon_stories::chain_text(stories, chain),
            .data = tmon_stories::chain_json(stories, chain).dump()};
}

ShellAnswer ShellMachine::story(const std::string&) {
    const std::vector<std::string> words = words_of(line_now_);
    if (words.size() < 2 || words.size() > 3)
        throw RequestError("expected a task, and perhaps a part of it: 'story 49', or 'story 49 0010'");
    const tmon_stories::Stories stories(collected(), scenario_.farm);
    const std::uint32_t task = typed(task_number, words[1]);
    const tmon_stories::TaskStory story =
        words.size() == 3 ? stories.story(task, typed(part_number, words[2])) : stories.story(task);
    return {.text = tmon_stories::story_text(stories, story), .data = tmon_stories::story_json(stories, story).dump()};
}

}  // namespace cli
