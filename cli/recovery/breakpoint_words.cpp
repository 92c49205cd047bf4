#include "recovery/breakpoint_words.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <vocabulary/source_position.hpp>

namespace cli {
namespace {

using tmon_recovery::BreakpointSet;
using tmon_recovery::EventGraph;
using tmon_recovery::EventNo;
using tmon_recovery::ProcessNo;

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
    return number;
}

// "jacobi.c:88" also names a line of src/jacobi.c.
bool is_line(std::string_view whole, std::string_view wanted) {
    return whole.ends_with(wanted) && (whole.size() == wanted.size() || whole[whole.size() - wanted.size() - 1] == '/');
}

class Words {
public:
    Words(const RecordedRun& run, const char* option) : run_(run), option_(option) {}

    EventNo event_of(ProcessNo process, const std::string& text) const {
        const EventGraph& graph = run_.graph();
        if (const auto event = number_in(text)) {
            if (*event > graph.events(process))
                not_there(fmt::format("P{} has {} events, and there is no {}", process, graph.events(process), *event));
            return *event;
        }
        if (text.find(':') != std::string::npos) return line(process, text);
        const std::int64_t until = graph.span(process).begin_ns + nanoseconds(option_, text);
        if (until > graph.span(process).end_ns)
            not_there(fmt::format("P{} ended after {}, and there is no {}", process,
                                  seconds_text(graph.span(process).end_ns - graph.span(process).begin_ns), text));
        EventNo event = 0;
        while (event < graph.events(process) && graph.time(process, event + 1) <= until) ++event;
        return event;
    }
    [[noreturn]] void fail(const std::string& why) const { throw CLI::ValidationError(option_, why); }

private:
    EventNo line(ProcessNo process, const std::string& text) const {
        const std::size_t mark = text.find('#');
        const auto count = mark == std::string::npos ? std::optional<std::uint32_t>(1) : number_in(text.substr(mark + 1));
        const std::string line = text.substr(0, mark);
        if (!count || *count == 0) fail(fmt::format("'{}' has no count behind #; write 1 for the first time", text));
        std::uint32_t times = 0;
        for (EventNo event = 1; event <= run_.graph().events(process); ++event)
            if (is_line(run_.line_of(process, event), line) && ++times == *count) return event;
        not_there(times == 0 ? fmt::format("P{} has no event at {}; lines are those of its calls of MPI", process, line)
                             : fmt::format("P{} has {} events at {}, and there is no {}", process, times, line, *count));
    }

    [[noreturn]] void not_there(const std::string& why) const {
        if (run_.record().whole()) fail(why);
        throw BehindCut(fmt::format("{}: {} before the place where the record was cut off; name an earlier one", option_, why));
    }

    const RecordedRun& run_;
    const char* option_;
};

std::string place_text(const RecordedRun& run, ProcessNo process, EventNo event) {
    const std::string& line = run.line_of(process, event);
    return fmt::format("P{}={}{}", process, event, line.empty() ? "" : " (" + line + ")");
}

}  // namespace

NamedBreakpoints parse_breakpoints(const RecordedRun& run, const char* option, const std::string& words) {
    const Words its(run, option);
    NamedBreakpoints all{BreakpointSet(run.graph().processes(), 0), std::vector<bool>(run.graph().processes(), false)};
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find(',', at), words.size()), equals = words.find('=', at);
        const std::string word = words.substr(at, end - at);
        at = end + 1;
        if (!word.starts_with('P') || equals >= end)
            its.fail(fmt::format("'{}' is no breakpoint; write P0=412 or P1=ring.c:12#3", word));
        const auto process = number_in(std::string_view(word).substr(1, word.find('=') - 1));
        if (!process || *process >= run.graph().processes())
            its.fail(fmt::format("'{}' names no process; they are P0 to P{}", word, run.graph().processes() - 1));
        if (all.named[*process]) its.fail(fmt::format("P{} has two breakpoints", *process));
        all.named[*process] = true;
        all.set[*process] = its.event_of(*process, word.substr(word.find('=') + 1));
    }
    return all;
}

BreakpointSet consistent_set(const RecordedRun& run, const NamedBreakpoints& breakpoints, const std::string& words) {
    const EventGraph& graph = run.graph();
    const auto conflict = tmon_recovery::conflict(graph, breakpoints.set, breakpoints.named);
    const BreakpointSet up = tmon_recovery::raised(graph, breakpoints.set);
    if (!conflict) return up;
    BreakpointSet down = up;
    for (ProcessNo process = 0; process < down.size(); ++process)
        if (breakpoints.named[process]) down[process] = breakpoints.set[process];
    down = tmon_recovery::lowered(graph, down);
    std::uint64_t more = 0, less = 0;
    std::string chain;
    for (ProcessNo process = 0; process < down.size(); ++process) {
        if (!breakpoints.named[process]) continue;
        more += up[process] - breakpoints.set[process];
        less += breakpoints.set[process] - down[process];
    }
    for (const tmon_recovery::MessageNo number : conflict->chain) {
        const tmon_recovery::Message& its = graph.messages()[number];
        chain += fmt::format("\n  event {} is sent to {}", place_text(run, its.from, its.sent),
                             place_text(run, its.to, its.received));
    }
    throw vocabulary::InputError(
        {words, 0, 0}, fmt::format("P{} cannot be at its breakpoint when P{} is at its own, as it depends on later events:{}\n"
                                   "The nearest set that can be is {}",
                                   conflict->before, conflict->after, chain, words_of(less < more ? down : up)));
}

std::string words_of(const BreakpointSet& set) {
    std::string words;
    for (std::size_t process = 0; process < set.size(); ++process)
        words += fmt::format("{}P{}={}", process == 0 ? "" : ",", process, set[process]);
    return words;
}

}  // namespace cli
