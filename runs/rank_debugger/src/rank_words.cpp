// Ranks as words of a command.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <rank_debugger/rank_debugger.hpp>
#include <vocabulary/source_position.hpp>

namespace rank_debugger {

using vocabulary::RequestError;

std::vector<std::size_t> parse_ranks(const std::string& text, std::size_t count) {
    std::vector<std::size_t> ranks;
    if (text == "all") {
        for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(rank);
        return ranks;
    }
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&] {
        std::size_t value = 0;
        const auto [after, error] = std::from_chars(at, end, value);
        if (error != std::errc()) throw RequestError(fmt::format("expected ranks, as 3, 0-7 or 0,2,5, and got '{}'", text));
        if (value >= count) throw RequestError(fmt::format("there is no rank {}; the ranks are 0 to {}", value, count - 1));
        at = after;
        return value;
    };
    while (true) {
        const std::size_t first = number();
        std::size_t last = first;
        if (at != end && *at == '-') {
            ++at;
            last = number();
        }
        for (std::size_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
        if (at == end) break;
        if (*at++ != ',') throw RequestError(fmt::format("expected ranks, as 3, 0-7 or 0,2,5, and got '{}'", text));
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

std::string ranks_text(const std::vector<std::size_t>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        text += text.empty() ? "" : ",";
        text += last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
        i = last + 1;
    }
    return text;
}

std::pair<std::string, std::string> split_ranks(const std::string& words) {
    const std::size_t end = words.find_first_of(" \t");
    const std::size_t next = end == std::string::npos ? end : words.find_first_not_of(" \t", end);
    if (next == std::string::npos) return {"", words};
    const std::string first = words.substr(0, end);
    if (first != "all" && first.find_first_not_of("0123456789-,") != std::string::npos) return {"", words};
    return {first, words.substr(next)};
}

}  // namespace rank_debugger
