#include <tmon_sorted/stream_report.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tmon_sorted {

using tmon_order::StreamStanding;
using tmon_order::StreamState;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t most_lines = 8, most_ranges = 3;

std::string lost_text(const StreamStanding& of) {
    if (of.lost == 0) return {};
    std::string text = fmt::format("; lost {} in {} {}:", of.lost, of.ranges, of.ranges == 1 ? "range" : "ranges");
    const std::size_t shown = std::min(most_ranges, of.newest_lost.size());
    if (of.ranges > shown) text += " ...,";
    for (std::size_t i = of.newest_lost.size() - shown; i < of.newest_lost.size(); ++i) {
        const auto& [first, last] = of.newest_lost[i];
        text += first == last ? fmt::format(" {},", first) : fmt::format(" {}..{},", first, last);
    }
    text.pop_back();
    return text;
}

std::string line_of(std::size_t node, const StreamStanding& of) {
    std::string text = fmt::format("n{:<4} {:<9} {} records", node, tmon_order::state_name(of.state), of.records);
    if (of.said_by) text += fmt::format(", said by a {}", tmon_order::word_name(*of.said_by));
    text += of.heard_us ? fmt::format(", heard at {:.3f} ms", static_cast<double>(*of.heard_us) * 1e-3) : ", never heard";
    if (of.late > 0) text += fmt::format("; {} late", of.late);
    return text + lost_text(of);
}

}  // namespace

std::vector<StreamStanding> standings_of(const tmon_order::StreamStates& states) {
    std::vector<StreamStanding> all;
    for (std::size_t node = 0; node < states.size(); ++node) all.push_back(states.standing(static_cast<std::uint16_t>(node)));
    return all;
}

std::vector<StreamStanding> with_words(std::vector<StreamStanding> before, const tmon_order::StreamStates& after) {
    std::vector<StreamStanding> now = standings_of(after);
    for (std::size_t node = 0; node < now.size(); ++node) {
        const bool ends = now[node].state == StreamState::Crashed || now[node].state == StreamState::Finished;
        if (!ends && node < before.size()) now[node].state = before[node].state;
    }
    return now;
}

std::string streams_text(const std::vector<StreamStanding>& standings, std::size_t margin) {
    std::array<std::size_t, 5> counts{};
    for (const StreamStanding& of : standings) ++counts[static_cast<std::size_t>(of.state)];
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], tmon_order::state_name(static_cast<StreamState>(i)));
    }
    text += '\n';
    std::size_t lines = 0, others = 0;
    for (std::size_t node = 0; node < standings.size(); ++node) {
        const StreamStanding& of = standings[node];
        if (of.state == StreamState::Finished && of.lost == 0 && of.late == 0) continue;
        if (++lines > most_lines) {
            ++others;
            continue;
        }
        text += std::string(margin, ' ') + line_of(node, of) + "\n";
    }
    if (others > 0) text += fmt::format("{}and {} others; --json has all\n", std::string(margin, ' '), others);
    return text;
}

Json streams_json(const std::vector<StreamStanding>& standings) {
    Json all = Json::array();
    for (std::size_t node = 0; node < standings.size(); ++node) {
        const StreamStanding& of = standings[node];
        Json ranges = Json::array();
        for (const auto& [first, last] : of.newest_lost) ranges.push_back({first, last});
        all.push_back({{"node", node},
                       {"standing", tmon_order::state_name(of.state)},
                       {"records", of.records},
                       {"lost", of.lost},
                       {"lost_ranges", of.ranges},
                       {"newest_lost", ranges},
                       {"late", of.late},
                       {"heard_us", of.heard_us ? Json(*of.heard_us) : Json()},
                       {"said_by", of.said_by ? Json(tmon_order::word_name(*of.said_by)) : Json()}});
    }
    return all;
}

}  // namespace tmon_sorted
