#include "counter_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

// "task 5 stopped in comp_fn() on node 4"
std::string answer_words(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    if (verdict.kind == VerdictKind::None) return "nothing failed";
    if (verdict.process == process_name(Process::ResultReceiver)) return "result_receiver() on node 0 ended early";
    if (verdict.nodes.empty() || !verdict.task) return "the fault is elsewhere";
    return fmt::format("{} stopped in {} on {}", tasks_words(spec, *verdict.task), verdict.process, nodes_text(verdict.nodes));
}

}  // namespace

std::string event_words(const Event& event, const farm_spec::FarmSpec& spec) {
    const std::string part = spec.divides() ? fmt::format(", sub-task {},", subtask_text(event.subtask, spec)) : "";
    return fmt::format("n{} {} {}{}{} {} n{}", event.node, event.kind == EventKind::Send ? "sent" : "received",
                       event.is_result != 0 ? "the result of " : "", tasks_words(spec, event.task), part,
                       event.kind == EventKind::Send ? "to" : "from", event.peer);
}

std::string event_words(const Event& event, const std::string& unit) {
    const bool is_send = event.kind == EventKind::Send;
    return fmt::format("n{} {} {} {} {} n{}", event.node, is_send ? "sent" : "received", unit, event.task,
                       is_send ? "to" : "from", event.peer);
}

namespace {

std::vector<std::string> all_words(const std::vector<Event>& events, const farm_spec::FarmSpec& spec) {
    std::vector<std::string> words;
    for (const Event& event : events) words.push_back(event_words(event, spec));
    return words;
}

}  // namespace

std::string counter_text(const std::vector<std::string>& telling, const std::string& what) {
    constexpr std::size_t most_said = 3;
    if (telling.empty()) return "with the same records: " + what;
    std::string said;
    for (std::size_t i = 0; i < std::min(telling.size(), most_said); ++i) said += (i > 0 ? ", " : "") + telling[i];
    if (telling.size() > most_said) said += fmt::format(" and {} more", telling.size() - most_said);
    return fmt::format("if these records were lost: {}, then {}", said, what);
}

CounterHistory at_place(const PossiblePlace& place, std::vector<Event> records, const farm_spec::FarmSpec& spec) {
    CounterHistory history;
    history.text = counter_text(all_words(records, spec), possible_text(place, spec));
    history.records = std::move(records);
    history.task = place.task;
    if (place.node) history.nodes.push_back(*place.node);
    if (place.node) history.subtasks.push_back(place.subtask);
    history.process = place.process;
    return history;
}

std::vector<CounterHistory> before_it_began(const std::string& what) {
    CounterHistory failed, slow;
    failed.text = counter_text({}, "a node or a link failed before the " + what + " began");
    slow.text = counter_text({}, "nothing failed, and loading took longer than the session");
    return {failed, slow};
}

CounterHistory counter_history(const Verdict& verdict, std::vector<Event> records, std::uint64_t unlisted,
                               const std::vector<Event>& telling, const farm_spec::FarmSpec& spec) {
    CounterHistory history{std::move(records), unlisted, verdict.task, verdict.subtasks, verdict.nodes, verdict.process, ""};
    history.text = counter_text(all_words(telling, spec), answer_words(verdict, spec));
    return history;
}

std::string notes_text(const Verdict& verdict, const std::vector<Event>& rests_on, const farm_spec::FarmSpec& spec) {
    constexpr std::size_t most_events = 12;
    std::string text;
    if (!rests_on.empty()) {
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < std::min(rests_on.size(), most_events); ++i)
            ids.push_back(fmt::format("n{}:{}", rests_on[i].node, rests_on[i].seq));
        const std::string more =
            rests_on.size() > most_events ? fmt::format(" and {} more", rests_on.size() - most_events) : "";
        text += fmt::format("It rests on {}{}.\n", fmt::join(ids, ", "), more);
    }
    for (const CounterHistory& each : verdict.counter_histories) text += fmt::format("It could also be: {}.\n", each.text);
    if (!verdict.deciding.empty()) {
        std::vector<std::string> words;
        for (const Event& event : verdict.deciding)
            words.push_back("whether " + (verdict.unit.empty() ? event_words(event, spec) : event_words(event, verdict.unit)));
        text += fmt::format("It would decide to know {}.\n", fmt::join(words, ", and "));
    }
    return text;
}

}  // namespace tmon_detrek
