#include "study_commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <sweeps/point_command.hpp>
#include <text/shell_words.hpp>

#include "expression.hpp"

namespace sweeps {

using topologies::YamlValue;
using vocabulary::InputError;

namespace {

std::vector<std::string> take_apart(const YamlValue& given) {
    text::ShellWords words = text::shell_words(given.text());
    if (words.open_quote != '\0')
        given.fail(fmt::format("{} has no second {}; write it, or leave both out", given.text(), words.open_quote));
    if (words.all.empty() || words.all.front().empty()) given.fail("a command needs a program, as 'python3 judge.py {out}'");
    return std::move(words.all);
}

bool is_program(const std::string& path) {
    return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path);
}
bool is_in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (is_program(folder + "/" + program)) return true;
    return false;
}

bool uses(const Command& command, const std::string& place) {
    return std::any_of(command.words.begin(), command.words.end(),
                       [&](const std::string& word) { return word.find(place) != std::string::npos; });
}
bool has_numbers(const Study& study) {
    return std::any_of(study.axes.begin(), study.axes.end(), [](const Axis& axis) { return axis.name == number_axis; });
}

// The places that a command may use, and those of which it needs one.
struct Sight {
    std::vector<std::string> places;  // that stand for something
    std::vector<std::string> wanted;  // one of these must be there
    const char* blind;                // what to say when none is
};

Sight sight_of(const Study& study) {
    Sight sight{{"{out}", "{scenario}", "{settings}"},
                {std::begin(command_places), std::end(command_places)},
                "the command never sees the run; write {out}, the folder of its files, as in 'python3 judge.py {out}'"};
    if (!study.runs)
        sight = {{"{settings}"},
                 {"{settings}", "{number}", "{folder}"},
                 "the command never sees the point; write {number}, as in 'python3 try.py {number} {folder}'"};
    if (has_numbers(study)) sight.places.emplace_back("{number}");
    sight.places.emplace_back("{folder}");
    return sight;
}
Sight sight_of_maker(const Study& study) {
    Sight sight{{"{folder}"},
                {"{folder}"},
                "the command does not know where to write; write {folder}, as in 'python3 make.py {folder}'"};
    if (has_numbers(study)) sight.places.insert(sight.places.begin(), "{number}");
    return sight;
}

std::string listed(const std::vector<std::string>& words) {
    std::string text = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

void refuse_unknown_places(const YamlValue& given, const Command& command, const Sight& sight) {
    for (const std::string& word : command.words) {
        for (std::size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
            const std::string name = word.substr(at, word.find('}', at) - at) + "}";
            const bool known = std::find(sight.places.begin(), sight.places.end(), name) != sight.places.end();
            if (!known && name == "{number}")
                given.fail(
                    "'{number}' is the value of the axis 'number', which is not there; add 'number: 1..100' to the axes");
            if (!known && is_name(name.substr(1, name.size() - 2)))
                given.fail(fmt::format("'{}' stands for nothing{}; there {} {}", name,
                                       std::size(command_places) > sight.places.size() ? " here" : "",
                                       sight.places.size() == 1 ? "is" : "are", listed(sight.places)));
            if (name == "{settings}" && word != name) given.fail("'{settings}' must be a word of its own");
        }
    }
    if (std::none_of(sight.wanted.begin(), sight.wanted.end(), [&](const std::string& place) { return uses(command, place); }))
        given.fail(sight.blind);
}

// Words that name a file beside the study become its path, and the file one of the command's.
void find_files(std::vector<std::string>& words, Command& command, const Beside& beside) {
    for (std::string& word : words) {
        const std::string path = beside(word);
        if (!std::filesystem::is_regular_file(path)) continue;
        const bool first = &word == &words.front();
        if (first && word.find('/') == std::string::npos && is_in_path(word)) continue;
        word = first && path.find('/') == std::string::npos ? "./" + path : path;
        command.files.push_back(path);
    }
}
void refuse_no_program(const YamlValue& given, const std::string& program) {
    const bool found =
        program == "magicwire" || (program.find('/') == std::string::npos ? is_in_path(program) : is_program(program));
    if (!found)
        given.fail(fmt::format(
            "there is no program '{}'; name one that is installed, or a file beside the study that may be run", program));
}

// A program that stays is started before any point has a place.
void read_server(Command& command, const YamlValue& given, const Beside& beside) {
    command.serve = take_apart(given);
    for (const std::string& word : command.serve)
        for (const char* place : command_places)
            if (word.find(place) != std::string::npos)
                given.fail(fmt::format(
                    "a program that stays gets '{}' with each point, in the words of the command; leave it out", place));
    find_files(command.serve, command, beside);
    refuse_no_program(given, command.serve.front());
}

// `run`: the command line; `about`: the map with `files` and `serve`, if there is one.
void read_command(Command& command, const YamlValue& run, const std::optional<YamlValue>& about, const Sight& sight,
                  const Beside& beside) {
    command.words = take_apart(run);
    refuse_unknown_places(run, command, sight);
    find_files(command.words, command, beside);
    const auto files = about ? about->find("files") : std::nullopt, serve = about ? about->find("serve") : std::nullopt;
    if (files) {
        for (const YamlValue& file : files->items()) {
            command.files.push_back(beside(file.text()));
            if (!std::filesystem::is_regular_file(command.files.back()))
                file.fail(fmt::format("there is no file '{}'; paths are relative to the study", command.files.back()));
        }
    }
    refuse_no_program(run, command.words.front());
    if (serve) read_server(command, *serve, beside);
}

}  // namespace

bool has_folder(const Study& study) {
    return study.maker || std::any_of(study.commands.begin(), study.commands.end(),
                                      [](const Command& command) { return uses(command, "{folder}"); });
}

std::vector<Command> read_commands(const YamlValue& given, const Study& study, const Beside& beside) {
    std::vector<Command> commands;
    for (const auto& [name, value] : given.entries()) {
        const bool is_taken = name == "oracle" || name == "bill" || (name == made_name && study.maker);
        if (!is_name(name) || is_taken)
            throw InputError(given.where_key(name),
                             fmt::format("'{}' is no name of a command; use letters, digits and '_', and not {}", name,
                                         study.maker ? "oracle, bill or made" : "oracle or bill"));
        if (value.is_map()) value.only_keys({"run", "files", "serve"});
        Command command{name, {}, {}, given.where_key(name), false, {}};
        read_command(command, value.is_map() ? value.at("run") : value, value.is_map() ? std::optional(value) : std::nullopt,
                     sight_of(study), beside);
        commands.push_back(std::move(command));
    }
    return commands;
}

Maker read_maker(const YamlValue& given, const Study& study, const Beside& beside) {
    given.only_keys({"command", "file", "files", "serve"});
    Maker maker{{made_name, {}, {}, given.where(), true, {}}, "scenario.yaml"};
    read_command(maker.command, given.at("command"), given, sight_of_maker(study), beside);
    if (const auto file = given.find("file")) {
        const std::filesystem::path path = std::filesystem::path(file->text()).lexically_normal();
        if (path.empty() || path.is_absolute() || *path.begin() == ".." || !path.has_filename() || path == ".")
            file->fail("must be a file in the folder that the command gets; write a name, as 'case.yaml'");
        maker.file = path.string();
    }
    return maker;
}

void refuse_what_nobody_takes(const YamlValue& axes, const Study& study) {
    const auto some = [&](const char* place) {
        return (study.maker && uses(study.maker->command, place)) ||
               std::any_of(study.commands.begin(), study.commands.end(), [&](const Command& one) { return uses(one, place); });
    };
    for (const Axis& axis : study.axes) {
        if (axis.name == number_axis && !some("{number}"))
            throw InputError(axes.where_key(axis.name),
                             "no command takes the number; write {number} in one, as 'python3 make.py {number} {folder}'");
        if (axis.name != number_axis && !study.runs && !some("{settings}"))
            throw InputError(axes.where_key(axis.name),
                             fmt::format("no point is run, and no command takes '{}'; write {{settings}} in one", axis.name));
    }
}

std::string maker_text(const YamlValue& given) {
    const auto file = given.find("file");
    return command_text("scenario", given) + (file ? " > " + file->text() : "");
}

std::string command_text(const std::string& name, const YamlValue& given) {
    const YamlValue run = given.is_map() ? (given.find("run") ? given.at("run") : given.at("command")) : given;
    std::string text = "\n" + name + ": " + run.text();
    if (const auto files = given.is_map() ? given.find("files") : std::nullopt)
        for (const YamlValue& file : files->items()) text += ", " + file.text();
    if (const auto serve = given.is_map() ? given.find("serve") : std::nullopt) text += " by " + serve->text();
    return text;
}

}  // namespace sweeps
