#include <tmon_flowback/recorded_run.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_flowback {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_events = 20'000'000;

std::vector<fs::path> files_of(const fs::path& folder, const std::string& ending) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ending) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

RecordedRun::RecordedRun(const std::string& folder) {
    const fs::path place = fs::path(folder) / "flowback";
    const std::vector<fs::path> prepared = files_of(place, ".prepared");
    if (prepared.size() != 1)
        throw vocabulary::InputError({folder, 0, 0},
                                     "holds no logs for flowback; run the program with --flowback and --out " + folder);
    program_ = std::make_unique<PreparedProgram>(prepared.front().string());
    for (const fs::path& file : files_of(place, ".mwl")) {
        try {
            processes_.push_back(std::make_unique<ProcessLog>(file.string(), *program_));
        } catch (const vocabulary::InputError& error) {
            unusable_.push_back(file.filename().string() + " " + error.message());
        }
    }
    if (processes_.empty())
        throw vocabulary::InputError({folder, 0, 0}, unusable_.empty() ? "holds no logs: the program's functions never ran"
                                                                       : "holds no log that can be used: " + unusable_.front());
    module_ = std::make_unique<TraceModule>(*program_);
}

std::uint32_t RecordedRun::find_process(const std::string& name) const {
    std::string wanted = name;
    if (const std::size_t colon = wanted.find(':'); colon != std::string::npos) wanted[colon] = '.';
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        if (processes_[i]->name() == wanted) return static_cast<std::uint32_t>(i);
    }
    std::uint32_t rank = 0;
    const std::string word = "rank";
    if (!name.starts_with(word)) return nothing;
    const char* end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + word.size(), end, rank);
    return error == std::errc() && at == end ? process_of_rank(rank) : nothing;
}

const Emulation& RecordedRun::emulation(std::uint32_t process, std::uint32_t interval) {
    auto& its = emulations_[{process, interval}];
    if (its != nullptr) return *its;
    its = std::make_unique<Emulation>(*program_, *module_, *processes_[process], interval, most_events);
    emulated_ += its->statements();
    if (its->differs()) differences_.push_back(fmt::format("{}:{}: {}", processes_[process]->name(), interval, its->stopped()));
    return *its;
}

std::optional<EventId> RecordedRun::call_of(std::uint32_t process, std::uint32_t interval) {
    const std::uint32_t parent = processes_[process]->intervals()[interval].parent;
    if (parent == nothing) return std::nullopt;
    const Emulation& caller = emulation(process, parent);
    for (std::uint32_t i = 0; i < caller.events().size(); ++i) {
        const Event& each = caller.events()[i];
        if (program().kind(each.site) != SiteKind::Call || each.extra == nothing) continue;
        const auto& nested = caller.call(each).nested;
        if (std::find(nested.begin(), nested.end(), interval) != nested.end()) return EventId{process, parent, i};
    }
    return std::nullopt;
}

std::optional<EventId> RecordedRun::call_of_act(std::uint32_t process, std::uint32_t act) {
    const std::uint32_t interval = processes_[process]->acts()[act].interval;
    if (interval == nothing) return std::nullopt;
    const Emulation& caller = emulation(process, interval);
    auto& calls = calls_of_acts_[{process, interval}];
    if (calls.empty()) {
        for (std::uint32_t i = 0; i < caller.events().size(); ++i) {
            const Event& each = caller.events()[i];
            if (program().kind(each.site) != SiteKind::Call || each.extra == nothing) continue;
            for (const CallStep& step : caller.call(each).steps) {
                if (step.is_act) calls[step.number] = i;
            }
        }
    }
    const auto found = calls.find(act);
    if (found == calls.end()) return std::nullopt;
    return EventId{process, interval, found->second};
}

std::optional<EventId> RecordedRun::begin_of_act(std::uint32_t process, std::uint32_t act) {
    const ProcessLog& log = *processes_[process];
    const std::uint32_t begun = log.begin_of(log.acts()[act]);
    return call_of_act(process, begun == nothing ? act : begun);
}

std::uint32_t RecordedRun::process_of_rank(std::uint32_t rank) const {
    std::uint32_t found = nothing;
    for (std::uint32_t i = 0; i < processes_.size(); ++i) {
        if (processes_[i]->rank() != rank) continue;
        if (found != nothing) return nothing;
        found = i;
    }
    return found;
}

std::string RecordedRun::with_rank(std::uint32_t process) const {
    const ProcessLog& log = *processes_[process];
    return log.rank() ? fmt::format("{} (rank {})", log.name(), *log.rank()) : log.name();
}

std::optional<EventId> RecordedRun::call_of_frame(const EventId& event) {
    const Emulation& its = emulation(event.process, event.interval);
    const Frame& frame = its.frames()[its.events()[event.event].frame];
    if (frame.call != nothing) return EventId{event.process, event.interval, frame.call};
    return call_of(event.process, event.interval);
}

std::uint32_t RecordedRun::interval_of(const EventId& id) {
    const Emulation& its = emulation(id.process, id.interval);
    const Event& called = its.events()[id.event];
    if (called.extra == nothing) return nothing;
    const CallDetails& details = its.call(called);
    if (details.nested.size() != 1) return nothing;
    const ProcessLog& log = process(id.process);
    const FunctionEntry& function = program().function(log.intervals()[details.nested.front()].function);
    const bool by_name = details.code == 0 && program().site(called.site).callee == function.symbol;
    const bool by_address = details.code != 0 && log.address_of(function.global) == details.code;
    return by_name || by_address ? details.nested.front() : nothing;
}

std::string RecordedRun::shown(const std::string& symbol) const {
    for (const FunctionEntry& each : program().functions()) {
        if (!each.symbol.empty() && each.symbol == symbol) return each.name;
    }
    int status = 0;
    char* readable = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = status == 0 && readable != nullptr ? readable : symbol;
    std::free(readable);
    if (const std::size_t end = name.find('('); status == 0 && end != std::string::npos && end > 0) name.resize(end);
    return name;
}

std::string RecordedRun::unprepared_entry(std::uint32_t process, std::uint32_t root) const {
    constexpr const char* entries[] = {"init_master", "data_generator", "compute_fn", "result_receiver",
                                       "split_fn",    "join_fn",        "main"};
    const ProcessLog& log = *processes_[process];
    if (root >= log.roots().size() || log.roots()[root].entry >= std::size(entries)) return {};
    const char* name = entries[log.roots()[root].entry];
    for (const FunctionEntry& each : program().functions()) {
        if (each.symbol == name && each.kind == FunctionKind::Outside) return name;
    }
    return {};
}

std::vector<std::string> RecordedRun::damage() const {
    std::vector<std::string> all = unusable_;
    for (const auto& log : processes_) {
        if (!log->whole()) all.push_back(log->name() + ": " + log->problem());
    }
    return all;
}

bool RecordedRun::has_losses() const {
    return !unusable_.empty() ||
           std::any_of(processes_.begin(), processes_.end(), [](const auto& log) { return !log->whole(); });
}

std::string RecordedRun::text_of(const EventId& id) const {
    return fmt::format("{}:{}.{}", processes_[id.process]->name(), id.interval, id.event);
}

EventId RecordedRun::parse(const std::string& text) {
    const auto fail = [&](const std::string& why) -> EventId {
        throw vocabulary::RequestError("'" + text + "' names no event: " + why);
    };
    const std::size_t colon = text.rfind(':');
    const std::size_t dot = colon == std::string::npos ? std::string::npos : text.find('.', colon);
    EventId id;
    if (dot == std::string::npos) return fail("an event is written PROCESS:INTERVAL.EVENT, as n3.compute_fn:4.177");
    id.process = find_process(text.substr(0, colon));
    if (id.process == nothing) return fail("there is no process '" + text.substr(0, colon) + "'");
    const auto number = [&](std::size_t from, std::size_t to, std::uint32_t& result) {
        const char* end = text.data() + to;
        const auto [at, error] = std::from_chars(text.data() + from, end, result);
        return error == std::errc() && at == end;
    };
    if (!number(colon + 1, dot, id.interval) || !number(dot + 1, text.size(), id.event))
        return fail("interval and event are whole numbers");
    if (id.interval >= processes_[id.process]->intervals().size())
        return fail(
            fmt::format("{} has {} intervals", processes_[id.process]->name(), processes_[id.process]->intervals().size()));
    const std::size_t events = emulation(id.process, id.interval).events().size();
    if (id.event >= events) return fail(fmt::format("interval {} has {} events", id.interval, events));
    return id;
}

}  // namespace tmon_flowback
