#include "shell/shell_words.hpp"

#include <algorithm>
#include <sstream>

#include <scenario/settings.hpp>
#include <topologies/fault_plan.hpp>
#include <topologies/shapes.hpp>

namespace cli {

namespace {

// A change may be one of several: "set seed=2, monitor.unload=...".
bool begins_a_change(const std::vector<std::string>& words) {
    return words.size() == 1 || words.back().ends_with(',') || words.back() == ";";
}

bool takes_a_file(const std::string& arguments) {
    constexpr const char* files[] = {"PROGRAM", "FOLDER", "DIRECTORY", "MACHINE", "PREFIX"};
    return std::any_of(std::begin(files), std::end(files),
                       [&](const char* word) { return arguments.find(word) != std::string::npos; });
}

}  // namespace

NextWords next_words(const std::string& before, const std::vector<std::string>& commands) {
    std::istringstream line(before);
    std::vector<std::string> words;
    for (std::string word; line >> word;) words.push_back(word);
    NextWords next;
    const auto name_of = [](const std::string& command) { return command.substr(0, command.find(' ')); };
    if (words.empty() || (words.size() == 1 && words[0] == "help")) {
        for (const std::string& command : commands) next.all.push_back(name_of(command));
    } else if (words[0] == "set" || words[0] == "what-if") {
        if (begins_a_change(words))
            for (const std::string& name : scenario::changeable_names()) next.all.push_back(name + "=");
    } else if (words[0] == "fault") {
        if (words.size() == 1)
            for (const auto& verb : topologies::fault_verbs()) next.all.emplace_back(verb.name);
    } else {
        const auto its = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return name_of(c) == words[0]; });
        next.or_file = its != commands.end() && takes_a_file(*its);
        if (words[0] == "loadgo") next.all = {"master", "nodemon", "slave"};
        if (words[0] == "reconfigure" && words.size() == 1) {
            for (const topologies::Shape& shape : topologies::shapes()) next.all.push_back(shape.name + ":");
        }
    }
    std::sort(next.all.begin(), next.all.end());
    return next;
}

}  // namespace cli
