// story and why: one task of a stored trace, and what it waits for.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_stories/story_report.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "traces/stored_farm.hpp"

namespace cli {
namespace {

struct StoryOptions {
    std::string place, task, subtask;
    bool json = false;
};

void add_place_and_task(CLI::App& command, StoryOptions& options) {
    command.add_option("PLACE", options.place, "folder of a run, or its data.mwt; finished or not")
        ->required()
        ->check(file_name(trace_expected));
    command.add_option("TASK", options.task, "number of the task, from 0")->required();
    command.add_flag("--json", options.json, "print JSON");
}

int code_of(tmon_stories::Certainty certainty) {
    return certainty == tmon_stories::Certainty::Unknown ? exit_code::unknown : exit_code::nothing_found;
}

// The text has a line of its own on a trace that is not whole.
void tell(std::string text, const nlohmann::ordered_json& json, const StoredFarm& farm, bool as_json) {
    if (as_json) return put(json.dump(2));
    if (!farm.warning.empty()) text = farm.warning + "\n\n" + text;
    text.pop_back();  // put() ends the line
    put(text);
}

int story(const StoryOptions& options) {
    const std::uint32_t task = task_number(options.task);
    std::optional<tmon_stories::SubTaskId> part;
    if (!options.subtask.empty()) part = part_number(options.subtask);
    const StoredFarm farm = load_farm(options.place);
    const tmon_stories::Stories stories(farm.trace, farm.spec);
    const tmon_stories::TaskStory told = as_request([&] { return part ? stories.story(task, *part) : stories.story(task); });
    nlohmann::ordered_json json = tmon_stories::story_json(stories, told);
    json["trace"] = farm.trace_json();
    tell(tmon_stories::story_text(stories, told), json, farm, options.json);
    return code_of(told.certainty);
}

int why(const StoryOptions& options) {
    const std::uint32_t task = task_number(options.task);
    const StoredFarm farm = load_farm(options.place);
    const tmon_stories::Stories stories(farm.trace, farm.spec);
    const tmon_stories::WaitChain chain = as_request([&] { return stories.why(task); });
    nlohmann::ordered_json json = tmon_stories::chain_json(stories, chain);
    json["trace"] = farm.trace_json();
    tell(tmon_stories::chain_text(stories, chain), json, farm, options.json);
    return code_of(chain.certainty);
}

}  // namespace

void add_story(CLI::App& app, int& result) {
    auto options = std::make_shared<StoryOptions>();
    CLI::App* command = app.add_subcommand("story", "Tell where a task of a stored trace was, and where it is now");
    add_place_and_task(*command, *options);
    command->add_option("SUBTASK", options->subtask, "a part of it, in hexadecimal as in the list of faults: 0010");
    command->footer(
        "Each step has the records that it rests on: n3:17 is record 17 of node 3.\n\n"
        "Exit codes: 0 answered; 4 a place is unknown because records are missing or contradict each other.\n\n"
        "Examples:\n"
        "  magicwire run examples/thesis/dc8.yaml --out out\n"
        "  magicwire story out 49\n"
        "  magicwire story out 49 0010 --json\n");
    command->callback([options, &result] { result = story(*options); });
}

void add_why(CLI::App& app, int& result) {
    auto options = std::make_shared<StoryOptions>();
    CLI::App* command = app.add_subcommand("why", "Follow the waits of a task of a stored trace down to their root");
    add_place_and_task(*command, *options);
    command->footer(
        "Each link is certain, likely or unknown, and has the records that it rests on.\n\n"
        "Exit codes: 0 answered; 4 a link is unknown because records are missing or contradict each other.\n\n"
        "Examples:\n"
        "  magicwire run examples/thesis/dc8.yaml --out out\n"
        "  magicwire why out 51\n");
    command->callback([options, &result] { result = why(*options); });
}

}  // namespace cli
