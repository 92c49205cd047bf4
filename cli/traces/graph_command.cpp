// graph: pictures of one task of a stored trace.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_pictures/drawing_program.hpp>
#include <tmon_stories/task_picture.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "traces/stored_farm.hpp"

namespace cli {
namespace {

using tmon_stories::Picture;

constexpr std::size_t most_drawn = 512;

struct GraphOptions {
    std::string place, task, subtask, out;
    bool coalesced = false, tree = false, force = false;

    Picture picture() const { return tree ? Picture::Tree : coalesced ? Picture::Coalesced : Picture::Events; }
    text::Replace replace() const { return force ? text::Replace::Yes : text::Replace::No; }
    std::string ending() const { return out.empty() ? ".dot" : std::filesystem::path(out).extension().string(); }
};

void check_ending(const GraphOptions& options) {
    const std::string ending = options.ending();
    if (ending == ".dot" || ending == ".gv" || ending == ".svg" || ending == ".png") return;
    throw CLI::ValidationError("-o",
                               fmt::format("'{}' does not say the kind of picture; end it in .svg, .png or .dot", options.out));
}

std::string drawn(const GraphOptions& options, const std::string& dot, std::size_t size) {
    const std::string ending = options.ending();
    if (ending == ".dot" || ending == ".gv") return dot;
    if (size > most_drawn)
        throw vocabulary::InputError(
            {options.out, 0, 0}, fmt::format("would have {} vertices, and is unreadable; draw at most {}: take --coalesced or "
                                             "--tree, a part of the task, or a file that ends in .dot",
                                             size, most_drawn));
    std::vector<std::string> arguments{"-T" + ending.substr(1), "-o", "{out}", "{in}"};
    if (ending == ".png") arguments.insert(arguments.begin(), "-Gdpi=110");
    return tmon_pictures::drawn_by({"dot", "graphviz", "name a file that ends in .dot"}, arguments, dot, options.out);
}

int graph(const GraphOptions& options) {
    const std::uint32_t task = task_number(options.task);
    check_ending(options);
    if (!options.out.empty()) text::check_output_file(options.out, options.replace());
    const StoredFarm farm = load_farm(options.place);
    const tmon_stories::Stories stories(farm.trace, farm.spec);
    const tmon_stories::TaskStory story = as_request(
        [&] { return options.subtask.empty() ? stories.story(task) : stories.story(task, part_number(options.subtask)); });
    const std::string dot = tmon_stories::picture_dot(stories, story, options.picture());
    if (options.out.empty()) {
        put(dot.substr(0, dot.size() - 1));
    } else {
        text::write_text_file(options.out, drawn(options, dot, tmon_stories::picture_size(stories, story, options.picture())),
                              options.replace());
    }
    return story.certainty == tmon_stories::Certainty::Unknown ? exit_code::unknown : exit_code::nothing_found;
}

}  // namespace

void add_graph(CLI::App& app, int& result) {
    auto options = std::make_shared<GraphOptions>();
    CLI::App* command = app.add_subcommand("graph", "Draw the event graph of a task of a stored trace");
    command->add_option("PLACE", options->place, "folder of a run, or its data.mwt; finished or not")
        ->required()
        ->check(file_name(trace_expected));
    command->add_option("TASK", options->task, "number of the task, from 0")->required();
    command->add_option("SUBTASK", options->subtask, "a part of it, in hexadecimal as in the list of faults: 0010");
    CLI::Option* coalesced =
        command->add_flag("--coalesced", options->coalesced, "one vertex for each process on a node, not for each event");
    command->add_flag("--tree", options->tree, "the farm's tree, with the way of the task and its frontier")
        ->excludes(coalesced);
    command
        ->add_option("-o,--out", options->out,
                     "new file; .svg and .png are drawn by graphviz, .dot is its text; default: that text on standard output")
        ->type_name("FILE")
        ->check(file_name());
    command->add_flag("-f,--force", options->force, "replace that file");
    command->footer(
        "Complete, incomplete, frontier and lost are told by shape and line; each picture has a legend.\n\n"
        "Exit codes: 0 drawn; 4 drawn, and a place is unknown because records are missing.\n\n"
        "Examples:\n"
        "  magicwire run examples/thesis/dc8.yaml --out out\n"
        "  magicwire graph out 49 -o 49.svg\n"
        "  magicwire graph out 49 --tree -o tree.png\n"
        "  magicwire graph out 49 --coalesced | dot -Tpdf -o 49.pdf\n");
    command->callback([options, &result] { result = graph(*options); });
}

}  // namespace cli
