#include <tmon_flowback/slice.hpp>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "influence.hpp"
#include "slicer.hpp"

namespace tmon_flowback {

namespace {

using LineKey = std::tuple<std::uint32_t, int, int>;  // process, file, line

// Executions of statements, by line, among the events taken in one interval.
void count_lines(RecordedRun& run, const EventId& first, const std::vector<bool>& taken, std::map<LineKey, SlicedLine>& lines) {
    const Emulation& emulation = run.emulation(first.process, first.interval);
    std::vector<std::uint32_t> statement(emulation.frames().size(), nothing);  // the present one, by frame
    std::map<LineKey, std::unordered_set<std::uint64_t>> seen;
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
        const Event& event = emulation.events()[i];
        if (run.program().kind(event.site) == SiteKind::Statement) statement[event.frame] = i;
        if (!taken[i]) continue;
        const Site& site = run.program().site(event.site);
        if (site.line == 0) continue;
        const LineKey key{first.process, site.file, site.line};
        SlicedLine& line = lines[key];
        if (seen[key].insert(statement[event.frame]).second) ++line.executions;
        line.last = {first.process, first.interval, i};
    }
}

// Both directions, and how they are asked.
template <class Search>
void put(RecordedRun& run, Slice& slice, const Search& search) {
    std::map<LineKey, SlicedLine> lines;
    for (const auto& [where, taken] : search.taken()) count_lines(run, {where.first, where.second, 0}, taken, lines);
    for (auto& [key, line] : lines) {
        std::tie(line.process, line.file, line.line) = key;
        slice.lines.push_back(line);
    }
    slice.doubts.assign(search.doubts().begin(), search.doubts().end());
}

Slice sliced(RecordedRun& run, const Question& question, bool forward) {
    const std::uint64_t before = run.emulated_statements();
    const Execution execution = find_execution(run, question);
    const Meant meant = meaning_of(run, question.expression, execution.at);
    const flowback_log::Range place{meant.address, meant.bytes};
    Slice slice;
    slice.at = execution.at;
    if (forward) {
        Influence influence(run, execution.at, place);
        influence.run();
        put(run, slice, influence);
    } else {
        Slicer slicer(run);
        slicer.need(execution.at, place);
        slicer.run();
        put(run, slice, slicer);
    }
    if (!execution.doubt.empty()) slice.doubts.push_back("which execution it is: " + execution.doubt);
    slice.emulated = run.emulated_statements() - before;
    slice.differences = run.differences();
    slice.damaged = run.damage();
    if (!slice.doubts.empty()) slice.certainty = Certainty::Likely;
    return slice;
}

}  // namespace

Slice backward_slice(RecordedRun& run, const Question& question) {
    return sliced(run, question, false);
}

Slice forward_slice(RecordedRun& run, const Question& question) {
    return sliced(run, question, true);
}

std::string text_of(const RecordedRun& run, const Slice& slice) {
    std::string text;
    std::uint32_t process = nothing;
    for (const SlicedLine& line : slice.lines) {
        if (line.process != process) text += run.with_rank(line.process) + "\n";
        process = line.process;
        text += fmt::format("  {:24} {:>8} x  {}\n", fmt::format("{}:{}", run.program().file_name(line.file), line.line),
                            line.executions, run.program().text_of(line.file, line.line));
    }
    text += fmt::format("\n{}. {} lines. {} statements were run again.\n", name_of(slice.certainty), slice.lines.size(),
                        slice.emulated);
    for (const std::string& each : slice.doubts) text += "Not certain: " + each + "\n";
    for (const std::string& each : slice.damaged) text += "Not whole: " + each + "\n";
    for (const std::string& each : slice.differences)
        text += "The log and its emulation differ (a race, or a call whose effects are not known): " + each + "\n";
    return text;
}

nlohmann::ordered_json json_of(const RecordedRun& run, const Slice& slice) {
    nlohmann::ordered_json json = {{"schema", "magicwire.flowback_slice/1"},
                                   {"certainty", name_of(slice.certainty)},
                                   {"doubts", slice.doubts},
                                   {"at", run.text_of(slice.at)},
                                   {"emulated_statements", slice.emulated},
                                   {"damaged", slice.damaged},
                                   {"differences", slice.differences},
                                   {"lines", nlohmann::ordered_json::array()}};
    for (const SlicedLine& line : slice.lines) {
        const auto rank = run.process(line.process).rank();
        json["lines"].push_back({{"process", run.process(line.process).name()},
                                 {"rank", rank ? nlohmann::ordered_json(*rank) : nlohmann::ordered_json()},
                                 {"place", fmt::format("{}:{}", run.program().file_name(line.file), line.line)},
                                 {"text", run.program().text_of(line.file, line.line)},
                                 {"executions", line.executions},
                                 {"last", run.text_of(line.last)}});
    }
    return json;
}

}  // namespace tmon_flowback
