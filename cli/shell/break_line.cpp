#include "shell/break_line.hpp"

#include <charconv>

#include <fmt/format.h>

#include <rank_debugger/rank_debugger.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "shell/shell_line.hpp"

namespace cli {

using vocabulary::RequestError;

BreakOrder parse_break(const std::string& arguments, bool takes_places) {
    const auto [word, rest] = command_and_arguments(arguments);
    if (word.empty() || word == "list") {
        if (!rest.empty()) throw RequestError(fmt::format("'break list' takes no argument, and got '{}'", rest));
        return {};
    }
    if (word == "when") {
        const std::string predicate = without_quotes(rest);
        if (predicate.empty())
            throw RequestError(
                "expected a predicate, for example 'break when receive(n3, task=49)'; docs/guide/predicates.md has all");
        return {.what = BreakOrder::What::When, .predicate = predicate};
    }
    if (word == "delete") {
        if (rest == "all") return {.what = BreakOrder::What::Delete};
        std::size_t number = 0;
        const char* const end = rest.data() + rest.size();
        if (rest.empty() || std::from_chars(rest.data(), end, number) != std::from_chars_result{end, std::errc()})
            throw RequestError("expected the number of a breakpoint, or 'all'; 'break' lists them");
        return {.what = BreakOrder::What::Delete, .number = number};
    }
    if (takes_places && word == "race") return {.what = BreakOrder::What::Place, .place = arguments};
    if (takes_places) {
        auto [ranks, place] = rank_debugger::split_ranks(arguments);
        place.resize(place.find_last_not_of(" \t") + 1);
        if (place.find_first_of(" \t") != std::string::npos)
            throw RequestError(
                fmt::format("expected 'break [RANKS] FUNCTION' or 'break [RANKS] FILE:LINE', and got 'break {}'", arguments));
        return {.what = BreakOrder::What::Place, .ranks = ranks, .place = place};
    }
    throw RequestError(fmt::format("expected 'break', 'break when PREDICATE' or 'break delete NUMBER', and got 'break {}'{}",
                                   word, vocabulary::did_you_mean(word, {"list", "when", "delete"})));
}

}  // namespace cli
