#include <instrumentation/unload_sequence.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

namespace instrumentation {

using vocabulary::InputError;
using vocabulary::SourcePosition;

UnloadSequence::UnloadSequence(std::vector<UnloadCommand> commands) : commands_(std::move(commands)) {
    if (commands_.empty())
        throw InputError({"unload sequence", 0, 0},
                         "it has no command; give at least one line <Time> <LowerBound> <UpperBound>");
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        const UnloadCommand& command = commands_[i];
        if (command.lower > command.upper) {
            throw InputError(command.where, "lower bound " + std::to_string(command.lower) + " exceeds upper bound " +
                                                std::to_string(command.upper) +
                                                "; the order is <Time> <LowerBound> <UpperBound>");
        }
        if (i > 0 && command.until_us <= commands_[i - 1].until_us) {
            throw InputError(command.where, "time " + std::to_string(command.until_us) + " us does not come after " +
                                                std::to_string(commands_[i - 1].until_us) +
                                                " us of the line before; put the lines in the order of their times");
        }
    }
}

namespace {

// From 0 to the most that Number holds. A bound cut to 32 bits could turn "unload nothing" into "unload at once".
template <class Number>
Number number(const std::string& word, const SourcePosition& where, const char* what) {
    Number value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
        throw InputError(where, std::string("expected ") + what + ", a whole number from 0 to " +
                                    std::to_string(std::numeric_limits<Number>::max()) + ", and got '" + word + "'");
    }
    return value;
}

}  // namespace

UnloadSequence UnloadSequence::parse(const std::string& text, const std::string& file_name) {
    std::vector<UnloadCommand> commands;
    std::istringstream lines(text);
    std::string line;
    for (int row = 1; std::getline(lines, line); ++row) {
        if (const auto comment = line.find('#'); comment != std::string::npos) line.erase(comment);
        std::istringstream words(line);
        std::vector<std::string> fields;
        for (std::string word; words >> word;) fields.push_back(word);
        if (fields.empty()) continue;
        const SourcePosition where{file_name, row, static_cast<int>(line.find_first_not_of(" \t")) + 1};
        if (fields.size() != 3) {
            throw InputError(where, "a command has three numbers, <Time> <LowerBound> <UpperBound>, and this line has " +
                                        std::to_string(fields.size()));
        }
        commands.push_back({number<std::uint64_t>(fields[0], where, "a time in microseconds"),
                            number<std::uint32_t>(fields[1], where, "a lower bound"),
                            number<std::uint32_t>(fields[2], where, "an upper bound"), where});
    }
    if (commands.empty())
        throw InputError({file_name, 0, 0},
                         "the unload sequence has no command; give at least one line <Time> <LowerBound> <UpperBound>");
    return UnloadSequence(std::move(commands));
}

UnloadSequence UnloadSequence::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError({path, 0, 0}, "the unload sequence cannot be read; check the path");
    std::ostringstream text;
    text << file.rdbuf();
    return parse(text.str(), path);
}

const UnloadCommand& UnloadSequence::at(std::uint64_t clock_us) const {
    const auto command =
        std::find_if(commands_.begin(), commands_.end(), [clock_us](const UnloadCommand& c) { return clock_us < c.until_us; });
    return command == commands_.end() ? commands_.back() : *command;
}

}  // namespace instrumentation
