#include "shell/shell_line.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {

using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

NodeId node_of(const std::string& word, std::size_t nodes) {
    unsigned number = 0;
    const std::string digits = !word.empty() && word[0] == 'n' ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number >= nodes)
        throw vocabulary::RequestError(fmt::format("'{}' is no node; the machine has n0 to n{}", word, nodes - 1));
    return NodeId(static_cast<NodeId::value_type>(number));
}

}  // namespace

std::string without_comment(const std::string& line) {
    std::size_t end = 0;
    while (end < line.size() && !(line[end] == '#' && (end == 0 || line[end - 1] == ' ' || line[end - 1] == '\t'))) ++end;
    const std::string text = line.substr(0, end);
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::pair<std::string, std::string> command_and_arguments(const std::string& line) {
    const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::size_t rest = line.find_first_not_of(" \t", space);
    return {line.substr(0, space), rest == std::string::npos ? "" : line.substr(rest)};
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::string without_quotes(const std::string& text) {
    const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

std::optional<SimTime> run_until(const std::string& arguments, SimTime now) {
    std::vector<std::string> words = words_of(arguments);
    if (words.empty() || arguments == "to the end" || arguments == "to end") return std::nullopt;
    const bool from_now = words[0] == "for";
    if (from_now || words[0] == "until") words.erase(words.begin());
    if (words.size() != 1) throw vocabulary::RequestError("expected 'run', 'run until 12.4ms' or 'run for 0.2ms'");
    const bool plus = words[0].front() == '+';
    const SimTime time = topologies::parse_time(plus ? words[0].substr(1) : words[0], {"run " + arguments, 0, 0});
    return from_now || plus ? std::min(time, SimTime::never() - now) + now : time;
}

std::vector<std::string> branches_of(const std::string& arguments) {
    std::vector<std::string> branches{""};
    std::istringstream stream(arguments);
    for (std::string text; std::getline(stream, text, ';');) {
        const std::size_t first = text.find_first_not_of(" \t");
        branches.push_back(first == std::string::npos ? "" : text.substr(first));
    }
    return branches;
}

std::vector<NodeId> node_list(const std::string& text, std::size_t nodes) {
    std::vector<NodeId> result;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        const std::size_t dash = part.find('-');
        const NodeId first = node_of(part.substr(0, dash), nodes);
        const NodeId last = dash == std::string::npos ? first : node_of(part.substr(dash + 1), nodes);
        for (unsigned i = first.value(); i <= last.value(); ++i) result.emplace_back(static_cast<NodeId::value_type>(i));
    }
    return result;
}

}  // namespace cli
