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

bool is_place(const std::string& word) {
    return std::any_of(std::begin(command_places), std::end(command_places),
                       [&](const char* place) { return word.find(place) != std::string::npos; });
}

void refuse_unknown_places(const YamlValue& given, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        for (std::size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
            const std::string name = word.substr(at, word.find('}', at) - at) + "}";
            const bool known =
                std::find(std::begin(command_places), std::end(command_places), name) != std::end(command_places);
            if (!known && is_name(name.substr(1, name.size() - 2)))
                given.fail(fmt::format("'{}' stands for nothing; there are {{out}}, {{scenario}} and {{settings}}", name));
            if (name == "{settings}" && word != name) given.fail("'{settings}' must be a word of its own");
        }
    }
    if (std::none_of(words.begin(), words.end(), is_place))
        given.fail("the command never sees the run; write {out}, the folder of its files, as in 'python3 judge.py {out}'");
}

}  // namespace

std::vector<Command> read_commands(const YamlValue& given, const std::function<std::string(const std::string&)>& beside) {
    std::vector<Command> commands;
    for (const auto& [name, value] : given.entries()) {
        if (!is_name(name) || name == "oracle" || name == "bill")
            throw InputError(
                given.where_key(name),
                fmt::format("'{}' is no name of a command; use letters, digits and '_', and not oracle or bill", name));
        if (value.is_map()) value.only_keys({"run", "files"});
        const YamlValue run = value.is_map() ? value.at("run") : value;
        Command command{name, take_apart(run), {}, given.where_key(name)};
        refuse_unknown_places(run, command.words);
        for (std::string& word : command.words) {
            const std::string path = beside(word);
            if (!std::filesystem::is_regular_file(path)) continue;
            const bool first = &word == &command.words.front();
            if (first && word.find('/') == std::string::npos && is_in_path(word)) continue;
            word = first && path.find('/') == std::string::npos ? "./" + path : path;
            command.files.push_back(path);
        }
        if (const auto files = value.is_map() ? value.find("files") : std::nullopt) {
            for (const YamlValue& file : files->items()) {
                command.files.push_back(beside(file.text()));
                if (!std::filesystem::is_regular_file(command.files.back()))
                    file.fail(fmt::format("there is no file '{}'; paths are relative to the study", command.files.back()));
            }
        }
        const std::string& program = command.words.front();
        const bool found =
            program == "magicwire" || (program.find('/') == std::string::npos ? is_in_path(program) : is_program(program));
        if (!found)
            run.fail(fmt::format(
                "there is no program '{}'; name one that is installed, or a file beside the study that may be run", program));
        commands.push_back(std::move(command));
    }
    return commands;
}

std::string command_text(const std::string& name, const YamlValue& given) {
    const YamlValue run = given.is_map() ? given.at("run") : given;
    std::string text = "\n" + name + ": " + run.text();
    if (const auto files = given.is_map() ? given.find("files") : std::nullopt)
        for (const YamlValue& file : files->items()) text += ", " + file.text();
    return text;
}

}  // namespace sweeps
