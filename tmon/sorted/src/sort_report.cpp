#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_sorted/sort_trace.hpp>
#include <tmon_sorted/sorted_lines.hpp>
#include <tmon_sorted/stream_report.hpp>
#include <tmon_streams/trace_store.hpp>

#include "microseconds.hpp"

namespace tmon_sorted {
namespace {

using tmon_order::Assumed;
using tmon_order::SorterCounts;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_shown = 5;

const char* by_name(SortBy by) {
    return by == SortBy::Cause ? "cause" : by == SortBy::Time ? "time" : "arrival";
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}
double mean(std::uint64_t sum, std::uint64_t count) {
    return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

std::string assumed_text(const SortResult& result) {
    std::string text;
    for (std::size_t i = 1; i < result.assumed.size(); ++i) {
        if (result.assumed[i] == 0) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", assumed_name(static_cast<Assumed>(i)), result.assumed[i]);
    }
    return text.empty() ? "" : " (" + text + ")";
}

std::uint64_t assumed_count(const SortResult& result) {
    return std::accumulate(result.assumed.begin() + 1, result.assumed.end(), std::uint64_t{0});
}

std::size_t most_drift(const SortResult& result) {
    std::size_t most = 0;
    for (std::size_t i = 1; i < result.streams.size(); ++i) {
        if (result.streams[i].drift_ns > result.streams[most].drift_ns) most = i;
    }
    return most;
}

Json stream_json(const SortResult& result, std::size_t node) {
    const StreamFigures& stream = result.streams[node];
    return {{"node", node},
            {"state", ending_name(stream.ending)},
            {"records", stream.records},
            {"lost", stream.lost},
            {"drift_us", us(stream.drift_ns)},
            {"forced_by", stream.forced_by ? Json(id_text(*stream.forced_by)) : Json()}};
}

Json with_standing(Json stream, const Json& standing) {
    for (const char* key : {"standing", "lost_ranges", "newest_lost", "late", "heard_us", "said_by"})
        stream[key] = standing.is_null() ? Json() : standing[key];
    return stream;
}

}  // namespace

std::string sort_text(const SortResult& result) {
    std::string text =
        fmt::format("sort by {}: {} records of {} nodes\n", by_name(result.by), result.records, result.streams.size());
    const auto out = std::back_inserter(text);
    const SorterCounts& counts = result.sorter;
    fmt::format_to(out, "  messages        {} with both ends; {} receives without a send, {} sends without a receive\n",
                   result.messages, result.receives_alone, result.sends_alone);
    fmt::format_to(out, "  backwards       {} messages ({:.1f} %) are received before they are sent", result.backwards,
                   share(result.backwards, result.messages));
    fmt::format_to(out, "; {} ({:.1f} %) as they arrived\n", result.backwards_at_arrival,
                   share(result.backwards_at_arrival, result.messages));
    fmt::format_to(out,
                   "  window          mean {:.1f}, most {} records while they arrived; not yet reported mean {:.1f}, most {}\n",
                   mean(counts.window_sum, counts.steps), counts.most_window, mean(counts.unreported_sum, counts.steps),
                   counts.most_unreported);
    fmt::format_to(out, "  waited          mean {:.1f}, most {} further records until its own report\n",
                   mean(counts.waited_sum, counts.reported), counts.most_waited);
    fmt::format_to(out, "  lost            {} records in {} ranges; {} records reported without a cause{}; {} late\n",
                   result.lost, result.losses, assumed_count(result), assumed_text(result), result.late);
    if (result.given_up > 0)
        fmt::format_to(out, "  given up        {} records were released while they arrived, on your word\n", result.given_up);
    if (!result.standings.empty()) text += "  streams         " + streams_text(result.standings, 18);
    if (result.left_out > 0)
        fmt::format_to(out, "  left out        {} records: repeated, damaged or of unknown nodes\n", result.left_out);
    if (!result.streams.empty()) {
        const std::size_t most = most_drift(result);
        const StreamFigures& stream = result.streams[most];
        if (stream.drift_ns > 0)
            fmt::format_to(out, "  {:<15} at most {:.3f} us at its end, of n{}, forced by {}\n",
                           result.spread ? "correction" : "drift", us(stream.drift_ns), most,
                           stream.forced_by ? id_text(*stream.forced_by) : "nothing");
    }
    if (result.spread)
        fmt::format_to(out,
                       "  amortised       {} jumps; final times are {:.3f} us later than raw on average, at most {:.3f} us\n",
                       result.spread->jumps, us(result.spread->mean_ns), us(result.spread->most_ns));
    if (result.contradicting > 0) fmt::format_to(out, "  contradictions  {} records:\n", result.contradicting);
    for (std::size_t i = 0; i < std::min<std::size_t>(result.contradictions.size(), most_shown); ++i) {
        const Contradiction& one = result.contradictions[i];
        if (one.other)
            fmt::format_to(out, "                  {} and {} precede each other\n", id_text(one.event), id_text(*one.other));
        else
            fmt::format_to(out, "                  {} receives what its sender, which lost nothing, never sent\n",
                           id_text(one.event));
    }
    if (result.contradicting > most_shown) text += "                  and others; --json lists the first hundred\n";
    fmt::format_to(out, "  trace           {}\n  time            {}\n", result.status, result.clock);
    return text;
}

Json sort_json(const SortResult& result) {
    const SorterCounts& counts = result.sorter;
    Json json = {{"schema", "magicwire.sort/1"},
                 {"trace", result.trace},
                 {"by", by_name(result.by)},
                 {"status", result.status},
                 {"clock", result.clock},
                 {"nodes", result.streams.size()},
                 {"records", result.records},
                 {"lost_records", result.lost},
                 {"losses", result.losses},
                 {"left_out", result.left_out},
                 {"messages", result.messages},
                 {"receives_alone", result.receives_alone},
                 {"sends_alone", result.sends_alone},
                 {"backwards", result.backwards},
                 {"backwards_at_arrival", result.backwards_at_arrival},
                 {"window", {{"mean", mean(counts.window_sum, counts.steps)}, {"most", counts.most_window}}},
                 {"unreported", {{"mean", mean(counts.unreported_sum, counts.steps)}, {"most", counts.most_unreported}}},
                 {"waited", {{"mean", mean(counts.waited_sum, counts.reported)}, {"most", counts.most_waited}}},
                 {"late", result.late},
                 {"given_up", result.given_up},
                 {"assumed", Json::object()},
                 {"contradictions", Json::array()},
                 {"streams", Json::array()},
                 {"amortised", Json()},
                 {"interrupted", result.interrupted}};
    for (std::size_t i = 1; i < result.assumed.size(); ++i)
        json["assumed"][std::string(assumed_name(static_cast<Assumed>(i)))] = result.assumed[i];
    if (result.spread)
        json["amortised"] = {
            {"jumps", result.spread->jumps}, {"mean_us", us(result.spread->mean_ns)}, {"most_us", us(result.spread->most_ns)}};
    for (const Contradiction& one : result.contradictions)
        json["contradictions"].push_back(
            {{"event", id_text(one.event)}, {"other", one.other ? Json(id_text(*one.other)) : Json()}});
    const Json standings = streams_json(result.standings);
    for (std::size_t node = 0; node < result.streams.size(); ++node)
        json["streams"].push_back(with_standing(stream_json(result, node), node < standings.size() ? standings[node] : Json()));
    return json;
}

}  // namespace tmon_sorted
