#include <tmon_stories/stories.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tmon_streams/task_view.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "farm_state.hpp"

namespace tmon_stories {

using tmon_streams::SessionEnd;

const char* certainty_name(Certainty certainty) {
    constexpr const char* names[] = {"certain", "likely", "unknown"};
    return names[static_cast<std::size_t>(certainty)];
}
std::string record_text(const RecordId& record) {
    return fmt::format("n{}:{}", record.node, record.seq);
}
const char* cargo_name(Cargo cargo) {
    constexpr const char* names[] = {"task", "result", "given-back"};
    return names[static_cast<std::size_t>(cargo)];
}
const char* where_name(Where where) {
    constexpr const char* names[] = {"on", "on-or-behind", "on-the-way", "at-or-below", "not-sent"};
    return names[static_cast<std::size_t>(where)];
}
const char* wait_name(Wait wait) {
    constexpr const char* names[] = {"for-parts",  "for-room",    "for-child",    "for-computation",
                                     "for-parent", "for-sending", "for-receiver", "root"};
    return names[static_cast<std::size_t>(wait)];
}

Stories::State::State(const tmon_streams::Trace& whole, const farm_spec::FarmSpec& spec)
    : trace(tmon_streams::task_view(whole)), analysis(tmon_detrek::analyse(whole, spec)), outstanding(spec.nodes) {
    note_doubts();
    gather();
    note_outstanding();
}

// The same conditions keep a verdict from being certain.
void Stories::State::note_doubts() {
    const auto doubt = [this](bool holds, bool breaks, std::string text) {
        if (!holds) return;
        broken = broken || breaks;
        doubts.push_back(std::move(text));
    };
    const std::uint64_t contradictions = analysis.graphs.findings() + trace.suspect_records;
    doubt(contradictions > 0, true, fmt::format("{} records contradict the specification or each other", contradictions));
    doubt(trace.dropped_messages > 0, true,
          fmt::format("{} messages came damaged or were lost, so the links cannot be trusted", trace.dropped_messages));
    doubt(!trace.losses_known, true, "the trace does not say whether it is whole");
    doubt(trace.directions_guessed, false, "a .tvm does not say whether a stolen task or a result went up");
    doubt(trace.marks_take_other_ways, false,
          "end marks do not come over the links of the farm's tree, so they do not show that these carry anything");
    bool any_silent = false;
    for (const tmon_streams::Stream& stream : trace.streams)
        any_silent = any_silent || (tree().has(stream.node) && silent(stream.node));
    doubt(spec().survives && (any_silent || analysis.graphs.sent_again() > 0), false,
          "no record says how far tasks came that were issued again after a node fell silent");
    doubt(trace.session == SessionEnd::Cut, false, "the records end while nodes are at work, so it may have gone on since");
    doubt(trace.session == SessionEnd::ProgramEnded, false, "the program ended before the farm had come to rest");
    doubt(trace.session == SessionEnd::Unknown, false, "whether the farm had come to rest was not recorded");
    doubt(trace.session == SessionEnd::NeverBegan, false, "the session is said to have ended before the farm began");
}

// The records of unfinished tasks, in one pass.
void Stories::State::gather() {
    const EventGraphs& graphs = analysis.graphs;
    for (std::uint32_t task = 0; task < graphs.tasks_seen(); task = graphs.next(task))
        if (!graphs.finished(task) && graphs.has_events(task)) unfinished[task];
    if (unfinished.empty()) return;
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                if (const auto found = unfinished.find(event.task); found != unfinished.end()) found->second.push_back(event);
            }
        }
    }
}

std::vector<Event> Stories::State::records_of(std::uint32_t task) const {
    if (const auto found = unfinished.find(task); found != unfinished.end()) return found->second;
    std::vector<Event> records;
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (const auto part : stream.in_passing())
            std::copy_if(part.begin(), part.end(), std::back_inserter(records),
                         [task](const Event& event) { return event.task == task; });
    }
    return records;
}

void Stories::State::note_outstanding() {
    struct Sent {
        std::uint32_t seq;
        Awaited what;
    };
    std::vector<std::vector<Sent>> by_worker(outstanding.size());
    for (std::uint32_t task = 0; task < analysis.graphs.tasks_seen(); task = analysis.graphs.next(task)) {
        if (!unfinished.contains(task)) continue;
        for (const Part& part : tell(*this, task).parts) {
            const bool open = part.has(EventGraphs::sent) && !part.has(EventGraphs::result_received);
            const bool given_up = spec().survives && silent(part.worker) && !silent(part.parent);
            if (!open || given_up) continue;
            std::uint32_t seq = 0;
            for (const Move& move : part.moves)
                if (move.cargo == Cargo::Task && move.sent) seq = move.sent->seq;
            by_worker[part.worker].push_back({seq, {task, part.subtask, part.worker}});
        }
    }
    for (std::size_t worker = 0; worker < by_worker.size(); ++worker) {
        std::stable_sort(by_worker[worker].begin(), by_worker[worker].end(),
                         [](const Sent& a, const Sent& b) { return a.seq < b.seq; });
        for (const Sent& each : by_worker[worker]) outstanding[worker].push_back(each.what);
    }
}

Stories::Stories(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec)
    : state_(std::make_unique<State>(trace, spec)) {}
Stories::~Stories() = default;

const farm_spec::FarmSpec& Stories::spec() const {
    return state_->spec();
}
const tmon_streams::Trace& Stories::trace() const {
    return state_->trace;
}
const tmon_detrek::Analysis& Stories::analysis() const {
    return state_->analysis;
}

static std::uint32_t first_of(const farm_spec::FarmSpec& spec, std::uint32_t task) {
    if (task >= spec.tasks)
        throw vocabulary::RequestError(
            fmt::format("there is no task {}; the farm has tasks 0 to {}", task, spec.tasks - std::uint32_t{1}));
    return task - task % spec.granularity;
}

TaskStory Stories::story(std::uint32_t task) const {
    return tell(*state_, first_of(spec(), task));
}

WaitChain Stories::why(std::uint32_t task) const {
    return chain_of(*state_, first_of(spec(), task));
}

// True when `below` is the part itself or was split from it: then it has the same digits as far as those go.
static bool comes_from(const Part& below, const Part& part, const TaskStory& story) {
    for (const Part* at = &below; at != nullptr; at = at->above ? &story.parts[*at->above] : nullptr)
        if (at == &part) return true;
    return false;
}

static void keep_only(TaskStory& story, const std::vector<bool>& keep) {
    std::vector<std::size_t> now(keep.size());
    std::vector<Part> parts;
    for (std::size_t i = 0; i < keep.size(); ++i) {
        now[i] = parts.size();
        if (keep[i]) parts.push_back(std::move(story.parts[i]));
    }
    for (Part& part : parts) {
        if (part.above) part.above = now[*part.above];
        std::erase_if(part.below, [&](std::size_t below) { return !keep[below]; });
        for (std::size_t& below : part.below) below = now[below];
    }
    story.parts = std::move(parts);
    std::erase_if(story.stops, [&](const Stop& stop) { return !keep[stop.part]; });
    story.certainty = Certainty::Certain;
    for (Stop& stop : story.stops) {
        stop.part = now[stop.part];
        story.certainty = std::max(story.certainty, stop.place.certainty);
    }
}

TaskStory Stories::story(std::uint32_t task, SubTaskId subtask) const {
    const auto& nodes = state_->tree().from_the_top();
    const bool possible = std::any_of(nodes.begin(), nodes.end(), [&](std::uint16_t node) {
        return node != 0 && spec().possible_at(subtask, state_->tree().level(node));
    });
    if (!possible)
        throw vocabulary::RequestError(fmt::format(
            "no part of a task has the number {:04x}; its hexadecimal digits but the last are branches, 0 to {}, one "
            "for each level of the tree",
            subtask, spec().degree - 1));
    TaskStory story = this->story(task);
    // The highest part of that number, what is below it, and the way down to it.
    const auto wanted =
        std::find_if(story.parts.begin(), story.parts.end(), [subtask](const Part& part) { return part.subtask == subtask; });
    if (wanted == story.parts.end())
        throw vocabulary::RequestError(
            fmt::format("no record tells of part {:04x} of task {}; 'story' without it lists the parts", subtask, task));
    std::vector<bool> keep(story.parts.size());
    for (std::size_t i = 0; i < keep.size(); ++i)
        keep[i] = comes_from(story.parts[i], *wanted, story) || comes_from(*wanted, story.parts[i], story);
    keep_only(story, keep);
    return story;
}

}  // namespace tmon_stories
