#include "shell/shell_line.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {

using vocabulary::SimTime;

std::string without_comment(const std::string& line, Hash hash) {
    const auto is_space = [&](std::size_t at) { return line[at] == ' ' || line[at] == '\t'; };
    const auto begins = [&](std::size_t at) {
        if (line[at] != '#' || (at != 0 && !is_space(at - 1))) return false;
        return hash == Hash::Comment || at == 0 || at + 1 == line.size() || is_space(at + 1);
    };
    std::size_t end = 0;
    while (end < line.size() && !begins(end)) ++end;
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
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0 ? c == quote : c == '"' || c == '\'') {
            quote = quote != 0 ? '\0' : c;
            if (!std::exchange(in_word, true)) words.emplace_back();
        } else if (quote == 0 && (c == ' ' || c == '\t')) {
            in_word = false;
        } else {
            if (!std::exchange(in_word, true)) words.emplace_back();
            words.back() += c;
        }
    }
    if (quote != 0) throw vocabulary::RequestError(fmt::format("a quote {} is not closed", quote));
    return words;
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
    if (words.size() != 1)
        throw vocabulary::RequestError("expected 'run', 'run until 12.4ms', 'run for 0.2ms' or 'run until verdict'");
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

std::string time_word(vocabulary::SimTime time) {
    constexpr std::array<std::pair<std::int64_t, const char*>, 4> units = {
        {{1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}}};
    for (const auto& [size, unit] : units) {
        const std::int64_t whole = time.in_ps() / size;
        if (whole == 0) continue;
        std::string text = fmt::format("{}.{:012}", whole, time.in_ps() % size * (1'000'000'000'000 / size));
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
        return text + unit;
    }
    return fmt::format("{}ps", time.in_ps());
}

}  // namespace cli
