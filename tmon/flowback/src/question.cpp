#include <tmon_flowback/question.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_flowback {

using vocabulary::RequestError;

namespace {

constexpr const char* form = "write EXPR@LINE#N, as sum@pi.c:42#17; without #N the last execution is meant";

template <class Number>
bool read_number(const std::string& text, Number& result) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Question parse_question(const std::string& text) {
    const auto fail = [&](std::size_t at, const std::string& why) {
        throw vocabulary::InputError({"question '" + text + "'", 1, static_cast<int>(at) + 1}, why + "; " + form);
    };
    Question question;
    const std::size_t sign = text.rfind('@');
    if (sign == std::string::npos) fail(text.size(), "it names no line");
    std::string before = text.substr(0, sign), after = text.substr(sign + 1);
    if (const std::size_t hash = after.find('#'); hash != std::string::npos) {
        std::uint64_t number = 0;
        if (!read_number(after.substr(hash + 1), number) || number == 0)
            fail(sign + 2 + hash, "the execution is a whole number from 1 on");
        question.execution = number;
        after.resize(hash);
    }
    std::string line = after;
    if (const std::size_t colon = after.rfind(':'); colon != std::string::npos) {
        question.file = after.substr(0, colon);
        line = after.substr(colon + 1);
    }
    if (!read_number(line, question.line) || question.line < 1) fail(sign + 1, "the line is a whole number from 1 on");
    if (const std::size_t colon = before.rfind(':'); colon != std::string::npos) {
        question.process = before.substr(0, colon);
        before.erase(0, colon + 1);
    }
    question.expression = before;
    if (before.empty()) fail(0, "it names no variable");
    return question;
}

namespace {

// Numbers of the files that the question can mean.
std::set<int> files_meant(const PreparedProgram& program, const std::string& file) {
    std::set<int> result;
    for (const auto& [number, its] : program.files()) {
        const std::string name = std::filesystem::path(its.path).filename().string();
        if (file.empty() || name == file || its.path == file) result.insert(number);
    }
    return result;
}

struct Line {
    std::set<int> files;
    int line = 0;
    bool has(const Site& site) const { return site.line == line && files.count(site.file) != 0; }
};

// Functions whose intervals can hold the line: its own, or the callers of one that is inherited.
std::set<std::uint32_t> holders(const PreparedProgram& program, const Line& line) {
    std::vector<std::uint32_t> open;
    std::set<std::uint32_t> seen, result;
    for (const Site& site : program.sites()) {
        if (site.kind == SiteKind::Statement && line.has(site) && seen.insert(site.function).second)
            open.push_back(site.function);
    }
    while (!open.empty()) {
        const FunctionEntry& function = program.function(open.back());
        if (function.kind == FunctionKind::EBlock) result.insert(open.back());
        open.pop_back();
        if (function.kind != FunctionKind::Inherited) continue;
        for (const Site& site : program.sites()) {
            const bool calls = site.kind == SiteKind::Call && site.effect == inherited_call && site.callee == function.symbol;
            if (calls && seen.insert(site.function).second) open.push_back(site.function);
        }
    }
    return result;
}

// Events at which an execution of the line begins. The line may have several pieces of code, as around the arguments of a call
// on the next line. A new execution begins when a piece runs that the present one has run already.
std::vector<std::uint32_t> executions(const Emulation& emulation, const PreparedProgram& program, const Line& line) {
    std::vector<std::uint32_t> result;
    std::map<std::uint32_t, std::set<std::uint32_t>> ran;  // by frame: pieces of the present execution
    for (std::uint32_t i = 0; i < emulation.events().size(); ++i) {
        const Event& event = emulation.events()[i];
        if (program.kind(event.site) != SiteKind::Statement || !line.has(program.site(event.site))) continue;
        std::set<std::uint32_t>& own = ran[event.frame];
        if (!own.empty() && own.insert(event.site).second) continue;
        own = {event.site};
        result.push_back(i);
    }
    return result;
}

std::string nearest_lines(const PreparedProgram& program, const Line& line) {
    int below = 0, above = 0;
    for (const Site& site : program.sites()) {
        if (site.kind != SiteKind::Statement || line.files.count(site.file) == 0 || site.line == 0) continue;
        if (site.line < line.line) below = std::max(below, site.line);
        if (site.line > line.line && (above == 0 || site.line < above)) above = site.line;
    }
    if (below == 0 && above == 0) return "";
    if (below == 0 || above == 0) return fmt::format("; the nearest line with a statement is {}", std::max(below, above));
    return fmt::format("; the nearest lines with a statement are {} and {}", below, above);
}

struct Found {
    std::uint64_t order;  // place in the process's log
    EventId id;
};

// All executions in one process, in their order. `wanted`: it may stop when it has so many.
std::vector<Found> all_executions(RecordedRun& run, std::uint32_t process, const Line& line,
                                  const std::set<std::uint32_t>& functions, std::optional<std::uint64_t> wanted) {
    std::vector<Found> found;
    const auto& intervals = run.process(process).intervals();
    std::uint64_t covered = 0;  // the log up to here has been seen
    for (std::uint32_t i = 0; i < intervals.size(); ++i) {
        if (functions.count(intervals[i].function) == 0) continue;
        if (wanted && found.size() >= *wanted && intervals[i].begin >= covered) break;
        covered = std::max(covered, intervals[i].end);
        const Emulation& emulation = run.emulation(process, i);
        for (const std::uint32_t event : executions(emulation, run.program(), line))
            found.push_back({emulation.events()[event].value, {process, i, event}});
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.order < b.order; });
    return found;
}

// The last execution in one process, without a look at the others. An interval around the last one may go on behind it.
std::optional<Found> last_execution(RecordedRun& run, std::uint32_t process, const Line& line,
                                    const std::set<std::uint32_t>& functions) {
    const auto& intervals = run.process(process).intervals();
    std::optional<Found> best;
    for (std::uint32_t i = static_cast<std::uint32_t>(intervals.size()); i-- > 0;) {
        if (functions.count(intervals[i].function) == 0) continue;
        if (best && intervals[i].end < best->order) continue;  // over before
        const Emulation& emulation = run.emulation(process, i);
        const auto all = executions(emulation, run.program(), line);
        if (all.empty()) continue;
        const Found its{emulation.events()[all.back()].value, {process, i, all.back()}};
        if (!best || its.order > best->order) best = its;
    }
    return best;
}

// Why the executions in the intervals looked at may not be all; empty: they are.
std::string incomplete(RecordedRun& run, const std::vector<std::uint32_t>& processes,
                       const std::set<std::uint32_t>& functions) {
    for (const std::uint32_t process : processes) {
        const ProcessLog& log = run.process(process);
        for (std::uint32_t i = 0; i < log.intervals().size(); ++i) {
            const Interval& its = log.intervals()[i];
            if (functions.count(its.function) == 0 || !run.has_emulated(process, i)) continue;
            const Emulation& emulation = run.emulation(process, i);
            if (its.how == Interval::End::Left && !emulation.complete())
                return fmt::format("interval {} of {} cannot be run again to its end: {}", i, log.name(), emulation.stopped());
        }
    }
    return {};
}

}  // namespace

Execution find_execution(RecordedRun& run, const Question& question) {
    const PreparedProgram& program = run.program();
    const Line line{files_meant(program, question.file), question.line};
    if (line.files.empty()) throw RequestError("no source of the program is called '" + question.file + "'");
    const std::set<std::uint32_t> functions = holders(program, line);
    const std::string place = (question.file.empty() ? "line " : question.file + ":") + std::to_string(question.line);
    if (functions.empty()) throw RequestError("there is no statement at " + place + nearest_lines(program, line));
    std::vector<std::uint32_t> processes;
    if (!question.process.empty()) {
        processes.push_back(run.find_process(question.process));
        if (processes.front() == nothing) throw RequestError("there is no log of a process '" + question.process + "'");
    } else {
        for (std::uint32_t i = 0; i < run.processes().size(); ++i) processes.push_back(i);
    }
    std::vector<std::string> names;
    std::vector<Found> found;
    for (const std::uint32_t each : processes) {
        std::vector<Found> its;
        if (question.execution) {
            its = all_executions(run, each, line, functions, question.execution);
        } else if (const auto last = last_execution(run, each, line, functions)) {
            its.push_back(*last);
        }
        if (its.empty()) continue;
        names.push_back(run.process(each).name());
        if (found.empty()) found = std::move(its);
    }
    if (names.size() > 1)
        throw RequestError(fmt::format("{} processes executed {}; name one in front, as {}:{}: {}", names.size(), place,
                                       names.front(), question.expression, fmt::join(names, ", ")));
    const std::string doubt = incomplete(run, processes, functions);
    const std::string more = doubt.empty() ? "" : "; " + doubt;
    if (found.empty()) throw RequestError(place + " was not executed, as far as the logs go" + more);
    if (!question.execution) return {doubt, found.front().id, 0};
    const std::uint64_t number = *question.execution;
    if (number > found.size())
        throw RequestError(fmt::format("{} was executed {} times; the last one is {}@{}#{}", place, found.size(),
                                       question.expression, place, found.size()) +
                           more);
    return {doubt, found[number - 1].id, number};
}

namespace {

std::optional<std::vector<std::byte>> bytes_of_call(const CallDetails& details, std::uint64_t address, std::uint64_t bytes) {
    for (std::size_t i = 0; i < details.wrote.size(); ++i) {
        const auto& [first, count] = details.wrote[i];
        if (address < first || address + bytes > first + count) continue;
        const auto from = details.contents[i].begin() + static_cast<std::ptrdiff_t>(address - first);
        return std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(bytes));
    }
    const auto& [first, count] = details.fresh;
    if (details.zeroed && address >= first && address + bytes <= first + count) return std::vector<std::byte>(bytes);
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::byte>> bytes_written(RecordedRun& run, const EventId& id, std::uint64_t address,
                                                    std::uint64_t bytes) {
    const Emulation& emulation = run.emulation(id.process, id.interval);
    const Event& event = emulation.events()[id.event];
    const SiteKind kind = run.program().kind(event.site);
    if (kind == SiteKind::Call && event.extra != nothing) return bytes_of_call(emulation.call(event), address, bytes);
    if (kind != SiteKind::Store && kind != SiteKind::Copy && kind != SiteKind::Fill && kind != SiteKind::Load)
        return std::nullopt;
    if (address < event.address || address + bytes > event.address + event.bytes) return std::nullopt;
    const auto all = emulation.content(event).subspan(address - event.address, bytes);
    return std::vector<std::byte>(all.begin(), all.end());
}

}  // namespace tmon_flowback
