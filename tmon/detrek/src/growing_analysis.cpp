#include <tmon_detrek/growing_analysis.hpp>

#include <algorithm>
#include <tuple>

#include <tmon_streams/task_view.hpp>
#include "completion.hpp"
#include "growing_state.hpp"

namespace tmon_detrek {

using tmon_streams::StreamLedger;

namespace {

std::vector<StreamLedger> ledgers_of(std::uint32_t nodes) {
    std::vector<StreamLedger> ledgers;
    for (std::uint32_t node = 0; node < nodes; ++node) ledgers.emplace_back(static_cast<std::uint16_t>(node));
    return ledgers;
}

// The histories of lost records are made of every record. A stop on node 0 rests on its last record, of any task.
bool looks_at_all(const Verdict& verdict, bool has_told_losses) {
    const bool is_open = verdict.kind == VerdictKind::Likely || verdict.kind == VerdictKind::Unknown;
    const bool is_at_the_manager =
        verdict.process == process_name(Process::DataGenerator) || verdict.process == process_name(Process::ResultReceiver);
    return (is_open && has_told_losses) || is_at_the_manager;
}

}  // namespace

GrowingAnalysis::State::State(const farm_spec::FarmSpec& of)
    : spec(of), tree(spec), ledgers(ledgers_of(spec.nodes)), nodes(spec.nodes), kept(spec, tree, ledgers) {}

void GrowingAnalysis::State::take(Node& node, const Event& event) {
    ++node.task_records;
    if (tree.has(event.node) && tree.parent(event.node) == event.peer) {
        if (event.kind == EventKind::Receive && event.is_result == 0) ++node.got;
        if (event.kind == EventKind::Send && event.is_result != 0) ++node.gave;
        if (event.kind == EventKind::Send && event.is_result == 0 && node.got > 0) --node.got;
    }
    note_use(node, event);
    needs_all = !kept.add(event) || needs_all;
}

// The edge as EventGraphs would make it at this record.
void GrowingAnalysis::State::note_use(Node& node, const Event& event) const {
    if (event.peer >= spec.nodes || !tree.has(event.node) || !tree.has(event.peer)) return;
    const bool at_worker = tree.parent(event.node) == event.peer;
    if (!at_worker && tree.parent(event.peer) != event.node) return;
    const FoldedTasks::Use use{at_worker ? event.node : event.peer, event.subtask};
    const auto place = std::lower_bound(node.uses.begin(), node.uses.end(), use, [](const auto& each, const auto& wanted) {
        return std::tie(each.second.worker, each.second.subtask) < std::tie(wanted.worker, wanted.subtask);
    });
    const bool known = place != node.uses.end() && place->second.worker == use.worker && place->second.subtask == use.subtask;
    if (!known) {
        node.uses.insert(place, {event.seq, use});
    } else {
        place->first = std::min(place->first, event.seq);
    }
}

FoldedTasks GrowingAnalysis::State::folded() const {
    FoldedTasks folded = kept.folded();
    for (const Node& node : nodes) {
        auto uses = node.uses;
        std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [seq, use] : uses) folded.uses.push_back(use);
    }
    return folded;
}

std::vector<std::optional<std::int64_t>> GrowingAnalysis::State::offsets_us() const {
    std::vector<std::optional<std::int64_t>> offsets(nodes.size());
    for (const std::uint16_t node : tree.from_the_top()) {
        offsets[node] = nodes[node].least_us;
        const auto parent = tree.parent(node);
        const auto& step = kept.least_step_us(node);
        if (!parent || !offsets[*parent] || !step) continue;
        const std::int64_t by_parent = *offsets[*parent] + *step;
        offsets[node] = std::min(offsets[node].value_or(by_parent), by_parent);
    }
    return offsets;
}

tmon_streams::Trace GrowingAnalysis::State::trace(const tmon_streams::Trace& facts) const {
    tmon_streams::Trace trace = facts;
    trace.streams.clear();
    std::uint64_t suspect = 0;
    for (const StreamLedger& ledger : ledgers) suspect += ledger.suspect();
    trace.suspect_records = std::max(facts.suspect_records, suspect);
    const auto records = std::make_shared<const std::vector<std::vector<Event>>>(kept.by_node());
    trace.keep = {records};
    for (std::uint16_t node = 0; node < ledgers.size(); ++node) {
        tmon_streams::Stream stream = ledgers[node].stream();
        if (!(*records)[node].empty()) stream.parts.emplace_back((*records)[node]);
        stream.folded = kept.folded_records(node);
        stream.others = ledgers[node].records() - nodes[node].task_records;
        trace.streams.push_back(std::move(stream));
    }
    return trace;
}

// The tasks of a program that is no farm are never folded.
GrowingAnalysis::GrowingAnalysis(const farm_spec::FarmSpec& spec) : state_(std::make_unique<State>(spec)) {
    state_->needs_all = !spec.is_farm();
}
GrowingAnalysis::~GrowingAnalysis() = default;

void GrowingAnalysis::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events,
                              std::uint64_t came_us) {
    State& state = *state_;
    if (node >= state.nodes.size() || events.empty()) return;
    const bool fills = state.ledgers[node].has_come_to(first_seq);
    const StreamLedger::Place place = state.ledgers[node].add(first_seq, events);
    if (place == StreamLedger::Place::Again) state.needs_all = true;
    if (place != StreamLedger::Place::New) return;
    came(node, events, came_us);
    state.take_all(node, events);
    if (fills) state.kept.gap_filled();
}

void GrowingAnalysis::take(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events) {
    const bool fills = state_->ledgers[node].has_come_to(first_seq);
    const StreamLedger::Place place = state_->ledgers[node].add(first_seq, events);
    if (place == StreamLedger::Place::Again) state_->needs_all = true;
    if (place != StreamLedger::Place::New) return;
    state_->take_all(node, events);
    if (fills) state_->kept.gap_filled();
}

void GrowingAnalysis::came(std::uint16_t node, std::span<const Event> events, std::uint64_t came_us) {
    State& state = *state_;
    State::Node& its = state.nodes[node];
    its.last_us = std::max(its.last_us, events.back().time_us);
    const auto took = static_cast<std::int64_t>(came_us) - static_cast<std::int64_t>(events.back().time_us);
    its.least_us = std::min(its.least_us.value_or(took), took);
    const std::int64_t way =
        static_cast<std::int64_t>(came_us) - static_cast<std::int64_t>(events.front().time_us) - *its.least_us;
    state.longest_way_us = std::max(state.longest_way_us, static_cast<std::uint64_t>(std::max<std::int64_t>(0, way)));
}

void GrowingAnalysis::State::take_all(std::uint16_t node, std::span<const Event> events) {
    for (const Event& event : events) {
        if (!tmon_streams::is_task_event(event)) continue;
        if (event.node == node) {
            take(nodes[node], event);
        } else {
            needs_all = true;
        }
    }
}

void GrowingAnalysis::lost(const LossRange& range) {
    if (range.node < state_->ledgers.size() && range.first_seq <= range.last_seq) state_->ledgers[range.node].add_loss(range);
}

void GrowingAnalysis::ended(std::uint16_t node, std::uint32_t total_records) {
    if (node < state_->ledgers.size()) state_->ledgers[node].set_end(total_records);
}

DetrekResult GrowingAnalysis::report(const tmon_streams::Trace& facts, const All& all) const {
    const auto of_all = [&] { return report_detrek(all(), state_->spec, {}); };
    if (state_->needs_all) return of_all();
    const tmon_streams::Trace trace = state_->trace(facts), tasks = tmon_streams::task_view(trace);
    const FoldedTasks folded = state_->folded();
    const EventGraphs graphs(tasks, state_->spec, folded);
    if (graphs.findings() > 0) return of_all();
    DetrekResult result = report_detrek(trace, state_->spec, {}, folded);
    return folded.count() > 0 && looks_at_all(result.verdict, has_told_losses(tasks, graphs)) ? of_all() : result;
}

std::optional<std::uint64_t> GrowingAnalysis::clock_us(std::uint64_t now_us) const {
    std::optional<std::int64_t> least;
    for (const auto& offset : state_->offsets_us()) {
        if (!offset) continue;
        const std::int64_t clock = static_cast<std::int64_t>(now_us) - *offset;
        least = std::min(least.value_or(clock), clock);
    }
    return least ? std::optional(static_cast<std::uint64_t>(std::max<std::int64_t>(0, *least))) : std::nullopt;
}
std::uint64_t GrowingAnalysis::longest_way_us() const {
    return state_->longest_way_us;
}
bool GrowingAnalysis::needs_all() const {
    return state_->needs_all;
}
std::uint64_t GrowingAnalysis::kept_records() const {
    return state_->kept.size();
}
std::uint64_t GrowingAnalysis::kept_tasks() const {
    return state_->kept.tasks();
}
const farm_spec::FarmSpec& GrowingAnalysis::spec() const {
    return state_->spec;
}

}  // namespace tmon_detrek
