// farm: new, build, check and run of farm programs.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <farm_programs/builder.hpp>
#include <farm_programs/sequential.hpp>
#include <scenario/program_scenario.hpp>
#include <text/output_file.hpp>
#include <vocabulary/source_position.hpp>

#include "farms/farm_run.hpp"
#include "farms/farm_templates.hpp"
#include "frame/command.hpp"
#include "frame/scenario_options.hpp"

namespace cli {

using farm_programs::Built;
using farm_programs::Specification;
using vocabulary::InputError;

namespace fs = std::filesystem;

std::string farm_file(const std::string& name) {
    std::error_code error;  // a name that the file system does not accept names nothing
    if (fs::is_regular_file(name, error)) return name;
    if (fs::is_regular_file(name + ".farm", error)) return name + ".farm";
    if (!fs::is_directory(name, error))
        throw InputError({name, 0, 0}, "there is neither a specification file nor a folder of this name; 'magicwire farm new " +
                                           name + "' makes one");
    const fs::path folder(name);
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".farm") found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    if (found.empty())
        throw InputError({name, 0, 0}, "the folder has no specification file, NAME.farm; write one, or name another");
    const fs::path own = fs::weakly_canonical(folder).filename();
    for (const std::string& file : found) {
        if (fs::path(file).stem() == own) return file;
    }
    if (found.size() == 1) return found.front();
    throw InputError({name, 0, 0},
                     fmt::format("the folder has several specification files; name one of {}", fmt::join(found, ", ")));
}

namespace {

struct NewOptions {
    std::string name, kind = "pfvm", language = "c";
};

int make_new(const NewOptions& options) {
    const fs::path folder(options.name);
    const std::string name = folder.filename().string();
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-';
    });
    if (!plain)
        throw InputError({"NAME '" + options.name + "'", 0, 0},
                         "the last part of the path becomes a file name; use letters, digits, _ and -");
    // NAME would be read as an option wherever it is typed, and the compiler reads file names in the same way.
    if (name.starts_with('-'))
        throw InputError({"NAME '" + options.name + "'", 0, 0},
                         "the last part of the path begins with '-'; begin it with a letter");
    constexpr std::size_t longest = 100;  // with endings, below what file systems take
    if (name.size() > longest)
        throw InputError({"NAME '" + options.name + "'", 0, 0},
                         fmt::format("the last part of the path has {} characters; use {} at most", name.size(), longest));
    std::error_code error;
    if (fs::exists(folder, error))
        throw InputError({options.name, 0, 0}, "already exists and is not replaced; choose another name");
    const std::string source = name + (options.language == "cpp" ? ".cpp" : ".c");
    const FarmTemplate files = farm_template(name, source, options.kind == "dcvm");
    fs::create_directories(folder, error);
    if (error)
        throw InputError({options.name, 0, 0},
                         "the folder cannot be created: " + error.message() + "; name one in a place where you can write");
    text::write_text_file((folder / (name + ".farm")).string(), files.specification, text::Replace::No);
    text::write_text_file((folder / source).string(), files.source, text::Replace::No);
    put(
        fmt::format("{0}/{1}.farm   what runs where\n{0}/{2}   the program: it computes pi; put your own functions in\n\n"
                    "Next: magicwire farm run {0}",
                    options.name, name, source));
    return exit_code::nothing_found;
}

std::string built_text(const Built& built) {
    if (built.compiled.empty() && !built.linked) return "Nothing has changed since " + built.module + " was built.";
    return fmt::format("Compiled {}; built {}",
                       built.compiled.empty() ? "nothing" : fmt::format("{}", fmt::join(built.compiled, ", ")), built.module);
}

std::string types_text(const Specification& spec, const Built& built) {
    std::string text;
    if (spec.task_type && built.task_bytes)
        text += fmt::format("  task_type    {}, {} bytes\n", spec.task_type->text, *built.task_bytes);
    if (spec.result_type && built.result_bytes)
        text += fmt::format("  result_type  {}, {} bytes\n", spec.result_type->text, *built.result_bytes);
    return text;
}

std::string indented(const std::string& text, std::size_t most_lines) {
    std::string result;
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); ++lines) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (lines == most_lines) return result + "    ...\n";
        result += "    " + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return result;
}

// Lists the functions of the program, and what prevents it from running on a farm.
int check(const std::string& name, const std::string& folder, unsigned seconds, const std::string& input_file) {
    const Specification spec = farm_programs::read_specification(farm_file(name));
    const scenario::Scenario scenario = scenario::program_scenario(spec);  // says what is wrong with the machine
    const std::string input = input_file.empty() ? scenario.program_settings.input : scenario::read_input(input_file);
    const Built built = farm_programs::build(spec, {.folder = folder, .say = {}});
    std::string functions;
    for (std::size_t i = 0; i < farm_programs::functions; ++i) {
        const auto function = static_cast<farm_programs::Function>(i);
        if (!spec.files(function).empty()) functions += (functions.empty() ? "" : ", ") + std::string(function_name(function));
    }
    std::string text = fmt::format("{}: {} tasks, {} processors on {}\n  functions    {}\n{}", spec.path, spec.farm.tasks,
                                   scenario.farm.nodes, scenario.machine.name, functions, types_text(spec, built));
    const farm_programs::SequentialRun run = farm_programs::run_sequentially(spec, built, spec.farm.depth, input, seconds);
    text += run.good ? "  sequentially it runs to its end" : "  sequentially it fails: " + run.problem;
    text += run.output.text.empty() ? "\n" : " and prints\n" + indented(run.output.text, 20);
    for (const auto& [file, content] : run.output.files)
        text += fmt::format("  it saves {} ({} bytes)\n", file, content.size());
    if (scenario.program_settings.costs == user_programs::CostSource::Explicit && !built.charges)
        text +=
            "Warning: cost is explicit, and no source calls work_us(), work_cycles() or work_operations(); computing takes no "
            "modelled time\n  (use cost = estimated, or call one of these)\n";
    bool good = run.good;
    if (good && spec.divides()) {
        const farm_programs::SequentialRun whole = farm_programs::run_sequentially(spec, built, 0, input, seconds);
        const std::string difference = whole.good ? farm_programs::differences(whole.output, run.output) : whole.problem + "\n";
        good = difference.empty();
        text +=
            good ? "  splitting and joining give the same as computing the whole task\n"
                 : "Warning: splitting and joining a task gives another result than computing it whole (\"sequentially\"):\n" +
                       indented(difference, 20);
    }
    put(text);
    return good ? exit_code::nothing_found : exit_code::found;
}

void add_new(CLI::App& farm, int& result) {
    auto options = std::make_shared<NewOptions>();
    CLI::App* command = farm.add_subcommand("new", "Write a new program that runs: NAME/NAME.farm and its source");
    command->add_option("NAME", options->name, "name of the new folder")->required();
    command->add_option("--kind", options->kind, "pfvm: processor farm; dcvm: divide and conquer")
        ->check(CLI::IsMember({"pfvm", "dcvm"}))
        ->capture_default_str();
    command->add_option("--lang", options->language, "c or cpp")->check(CLI::IsMember({"c", "cpp"}))->capture_default_str();
    command->footer(
        "Examples:\n  magicwire farm new pi && magicwire farm run pi\n  magicwire farm new sum --kind dcvm --lang cpp\n");
    command->callback([options, &result] { result = make_new(*options); });
}

struct BuildPlace {
    std::string name, folder;
    void add_to(CLI::App& command) {
        command.add_option("NAME", name, "folder of a program, or its specification file (.farm)")->required();
        command.add_option("--build", folder, "folder for compiled files; default: build/NAME beside the specification")
            ->type_name("DIR");
    }
};

void add_build(CLI::App& farm, int& result) {
    auto place = std::make_shared<BuildPlace>();
    CLI::App* command = farm.add_subcommand("build", "Compile sources that have changed since the last build");
    place->add_to(*command);
    command->footer("Example:\n  magicwire farm build pi\n");
    command->callback([place, &result] {
        const Specification spec = farm_programs::read_specification(farm_file(place->name));
        const Built built = farm_programs::build(spec, {.folder = place->folder, .say = {}});
        put(built_text(built) + "\n" + types_text(spec, built));
        result = exit_code::nothing_found;
    });
}

void add_check(CLI::App& farm, int& result) {
    auto place = std::make_shared<BuildPlace>();
    CLI::App* command = farm.add_subcommand(
        "check", "Check the specification and run the tasks one after the other on this computer; exit code 1 if that fails");
    place->add_to(*command);
    auto seconds = std::make_shared<unsigned>(60);
    command
        ->add_option("--seconds", *seconds,
                     "limit in seconds for each call of a function; functions run unprotected on this computer")
        ->check(CLI::Range(1U, 1'000'000U))
        ->type_name("NUMBER")
        ->capture_default_str();
    auto input = std::make_shared<std::string>();
    command->add_option("--input", *input, "input of the program; -: standard input")->type_name("FILE");
    command->footer("Examples:\n  magicwire farm check pi\n  magicwire farm check words --input text\n");
    command->callback([place, seconds, input, &result] { result = check(place->name, place->folder, *seconds, *input); });
}

}  // namespace

void add_farm(CLI::App& app, const Invocation& invocation, int& result) {
    CLI::App* farm = app.add_subcommand("farm", "Make, build, check and run a farm program of your own, in C or C++");
    farm->require_subcommand(1);
    farm->footer(
        "A program is a few sequential functions and a specification file, NAME.farm (docs/guide/farms.md).\n\n"
        "Example, from nothing to a farm:\n  magicwire farm new pi\n  magicwire farm run pi\n");
    add_new(*farm, result);
    add_build(*farm, result);
    add_check(*farm, result);
    add_farm_run(*farm, invocation, result);
}

}  // namespace cli
