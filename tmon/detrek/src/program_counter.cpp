#include "program_counter.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tmon_models/unrecorded.hpp>
#include "counter_history.hpp"
#include "gap_filling.hpp"

namespace tmon_detrek {

namespace {

bool is_same_act(const Event& a, const Event& b) {
    return a.node == b.node && a.peer == b.peer && a.task == b.task && a.kind == b.kind && a.is_result == b.is_result;
}

template <class One, class Other>
bool says_same(const One& one, const Other& other) {
    return one.task == other.task && one.nodes == other.nodes && one.process == other.process;
}

}  // namespace

std::optional<CounterHistory> ProgramCounters::made(const tmon_models::ProgramExample& example) const {
    CounterHistory history;
    std::uint64_t lost = 0, numbered = 0;
    for (const std::uint16_t node : program_.tree().from_the_top()) {
        const tmon_streams::Stream& stream = trace_.streams[node];
        const bool is_open = stream.state == tmon_streams::StreamState::Open;
        if (!is_open && stream.losses.empty()) continue;
        const auto found = tmon_models::unrecorded(program_, stream, example.states[node]);
        if (!found) return std::nullopt;
        if (!is_open) lost += lost_records(stream);
        if (!is_open) numbered += found->numbered;
        history.records.insert(history.records.end(), found->events.begin(), found->events.end());
    }
    history.unlisted = lost - numbered;
    std::vector<std::string> processes;
    for (const tmon_models::ProgramStop& stop : example.answer) {
        history.task = stop.unit;
        history.nodes.push_back(stop.node);
        history.subtasks.push_back(0);
        if (std::find(processes.begin(), processes.end(), stop.process) == processes.end()) processes.push_back(stop.process);
    }
    history.process = fmt::format("{}", fmt::join(processes, " or "));
    history.text = words_.answer(example.answer);
    return history;
}

// Records that both histories have tell nothing.
void ProgramCounters::write(CounterHistory& history, const std::vector<Event>& of_other) const {
    std::vector<std::string> telling;
    for (const Event& event : history.records) {
        const bool has_both =
            std::any_of(of_other.begin(), of_other.end(), [&event](const Event& other) { return is_same_act(event, other); });
        if (!has_both) telling.push_back(event_words(event, program_.model().unit));
    }
    history.text = counter_text(telling, history.text);
}

std::vector<CounterHistory> ProgramCounters::of(const Verdict& verdict, const std::vector<std::size_t>& order) const {
    std::optional<CounterHistory> first;
    const bool is_likely = verdict.kind == VerdictKind::Likely;
    constexpr std::size_t most_tried = 8;  // each reads the records of nodes with losses
    for (std::size_t i = 0; i < std::min(order.size(), most_tried); ++i) {
        auto other = made(reading_.examples[order[i]]);
        if (!other) continue;
        const bool is_same = is_likely ? says_same(*other, verdict) : !first || says_same(*other, *first);
        if (is_same) {
            if (!first) first = std::move(other);
            continue;
        }
        std::vector<CounterHistory> histories;
        write(*other, first ? first->records : std::vector<Event>());
        if (!is_likely) {
            write(*first, other->records);
            histories.push_back(std::move(*first));
        }
        histories.push_back(std::move(*other));
        return histories;
    }
    return {};
}

}  // namespace tmon_detrek
