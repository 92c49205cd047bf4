#include <user_programs/program_costs.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

namespace user_programs {

using vocabulary::InputError;
using vocabulary::SourcePosition;

const char* cost_source_name(CostSource source) {
    static constexpr std::array names = {"explicit", "estimated", "fixed"};
    return names.at(static_cast<std::size_t>(source));
}

namespace {

constexpr vocabulary::SimTime most_task_time = vocabulary::SimTime::s(1'000'000);

struct PlacedWord {
    std::string text;
    int column = 0;
};

std::vector<PlacedWord> placed_words(const std::string& line) {
    std::vector<PlacedWord> words;
    const std::string content = line.substr(0, line.find('#'));
    for (std::size_t at = 0; (at = content.find_first_not_of(" \t\r", at)) != std::string::npos;) {
        const std::size_t end = std::min(content.find_first_of(" \t\r", at), content.size());
        words.push_back({content.substr(at, end - at), static_cast<int>(at) + 1});
        at = end;
    }
    return words;
}

}  // namespace

TaskTimes TaskTimes::parse(const std::string& text, const std::string& file) {
    TaskTimes times;
    std::istringstream lines(text);
    bool others = false;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::vector<PlacedWord> words = placed_words(line);
        if (words.empty()) continue;
        const SourcePosition where{file, number, words[0].column};
        if (words.size() != 2) throw InputError(where, "a line is a task's number and its time; write for instance '7 12.5ms'");
        const vocabulary::SimTime time = topologies::parse_time(words[1].text, {file, number, words[1].column});
        if (time > most_task_time)
            throw InputError({file, number, words[1].column}, "a task takes at most 1000000 s of modelled time; write less");
        if (words[0].text == "*") {
            if (others) throw InputError(where, "the time of all other tasks is given twice; remove one of the lines");
            others = true;
            times.others_ = time;
            continue;
        }
        std::uint32_t task = 0;
        const char* const end = words[0].text.data() + words[0].text.size();
        const auto [at, error] = std::from_chars(words[0].text.data(), end, task);
        if (error != std::errc() || at != end)
            throw InputError(where, "'" + words[0].text + "' is no number of a task; write a number, or * for all other tasks");
        if (!times.times_.emplace(task, time).second)
            throw InputError(where, "task " + words[0].text + " has a time already; remove one of the lines");
    }
    if (times.times_.empty() && !others) throw InputError({file, 0, 0}, "gives no task a time; write for instance '* 3ms'");
    return times;
}

vocabulary::SimTime TaskTimes::of(std::uint32_t task) const {
    const auto found = times_.find(task);
    return found == times_.end() ? others_ : found->second;
}

ProgramCosts program_costs(const topologies::CostTable& table, CostSource source) {
    static constexpr std::array<const char*, operation_kinds> kinds = {
        "integer_add",   "integer_multiply",  "integer_divide", "load",         "store",      "branch",
        "call",          "float_add",         "float_multiply", "float_divide", "double_add", "double_multiply",
        "double_divide", "double_square_root"};
    ProgramCosts costs{.source = source};
    for (std::size_t i = 0; i < operation_kinds; ++i)
        costs.operations[i] = static_cast<std::uint32_t>(table.get(std::string("program.operation.") + kinds[i], "cycles"));
    costs.memory_percent = static_cast<std::uint32_t>(table.get("memory.slow_down_3", "percent"));
    return costs;
}

}  // namespace user_programs
