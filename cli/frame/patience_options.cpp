#include "frame/patience_options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

constexpr std::uint64_t at_the_end = std::numeric_limits<std::uint64_t>::max();

// At least 1 us, since the host's clock has no less.
std::uint64_t microseconds(const char* option, const std::string& text) {
    std::uint64_t us = 0;
    as_usage([&] { us = static_cast<std::uint64_t>(topologies::parse_time(text, {option, 0, 0}).in_us()); });
    if (us == 0) throw CLI::ValidationError(option, "'" + text + "' is less than 1 us; give a longer time");
    return us;
}

tmon_order::Patience::Crash crash(const std::string& text, std::uint32_t nodes) {
    const std::size_t at = text.find('@');
    const std::string node = text.substr(0, at);
    std::uint16_t number = 0;
    const char* end = node.data() + node.size();
    const auto read = std::from_chars(node.data() + std::min<std::size_t>(1, node.size()), end, number);
    if (node.empty() || node.front() != 'n' || read.ec != std::errc() || read.ptr != end)
        throw CLI::ValidationError("--crashed", "'" + text + "' is no node; write n5, or n5@730ms for a moment");
    if (nodes > 0 && number >= nodes)
        throw CLI::ValidationError("--crashed", fmt::format("there is no node {}; the last one is n{}", node, nodes - 1));
    return {number, at == std::string::npos ? at_the_end : microseconds("--crashed", text.substr(at + 1))};
}

}  // namespace

void PatienceOptions::add_to(CLI::App& command) {
    command
        .add_option("--suspect-after", suspect_after, "a stream without a message for so long is suspect, by the host's clock")
        ->type_name("TIME");
    command
        .add_option(
            "--give-up-after", give_up_after,
            "release what waits for its cause for so many records, or so long; without it: until it is known not to come")
        ->type_name("N|TIME");
    command
        .add_option("--crashed", crashed, "you know that this node makes no more records (n5, or n5@730ms); several allowed")
        ->type_name("NODE")
        ->delimiter(',');
}

tmon_order::Patience PatienceOptions::read(std::uint32_t nodes) const {
    tmon_order::Patience patience;
    if (!suspect_after.empty()) patience.suspect_after_us = microseconds("--suspect-after", suspect_after);
    const bool number = !give_up_after.empty() && std::all_of(give_up_after.begin(), give_up_after.end(),
                                                              [](char letter) { return letter >= '0' && letter <= '9'; });
    if (number) {
        patience.give_up_records = whole_number("--give-up-after", give_up_after);
        if (patience.give_up_records == 0)
            throw CLI::ValidationError("--give-up-after", "'0' releases all at once; give 1 or more");
    } else if (!give_up_after.empty()) {
        patience.give_up_us = microseconds("--give-up-after", give_up_after);
    }
    for (const std::string& text : crashed) patience.crashes.push_back(crash(text, nodes));
    std::stable_sort(patience.crashes.begin(), patience.crashes.end(),
                     [](const auto& a, const auto& b) { return a.at_us < b.at_us; });
    return patience;
}

}  // namespace cli
