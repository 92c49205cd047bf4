// `break`: breakpoints on predicates over global states. What holds is said from the host's records; only the ages are read
// from the nodes' clocks, which the text says.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <tmon_sorted/sorted_lines.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "shell/break_line.hpp"
#include "shell/breakpoints.hpp"
#include "shell/left_text.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

using tmon_predicates::Certainty;
using tmon_predicates::PredicateAnswer;
using tmon_predicates::Truth;
using vocabulary::NodeId;
using vocabulary::RequestError;
using Json = nlohmann::ordered_json;

namespace {

// Nullptr: the record was lost, or is not here.
const trace_record::Event* record_of(const tmon_streams::Trace& trace, std::uint16_t node, std::uint32_t number) {
    for (const auto& part : trace.streams[node].parts) {
        if (!part.empty() && part.front().seq <= number && number <= part.back().seq) return &part[number - part.front().seq];
    }
    return nullptr;
}

std::string word_of(const PredicateAnswer& answer) {
    if (answer.truth == Truth::NotSoFar) return "not so far";
    if (answer.truth == Truth::Holds) return answer.certainty == Certainty::Certain ? "certain: it holds" : "likely: it holds";
    return answer.certainty == Certainty::Certain ? "certain: it never held" : "unknown: no record shows it";
}

// By the clock of its node.
std::int64_t age_us(session::LiveSession& session, const trace_record::Event& event) {
    const NodeId node(event.node);
    const auto now = session.machine().kernel(node).port().clock_us(trollius_os::Priority::High);
    return static_cast<std::int64_t>(now - session.monitors()[event.node]->state().began_us) -
           static_cast<std::int64_t>(event.time_us);
}

std::string id_of(std::uint16_t node, std::uint32_t number) {
    return tmon_sorted::id_text({node, number});
}

std::string line_of(const trace_record::Event& event) {
    tmon_order::SortedItem item;
    item.order.id = {event.node, event.seq};
    item.order.raw_ns = item.order.final_ns = static_cast<std::int64_t>(event.time_us) * 1000;
    item.event = &event;
    return tmon_sorted::text_line(item);
}

}  // namespace

Breakpoints& ShellMachine::breakpoints() const {
    if (breakpoints_) return *breakpoints_;
    throw RequestError(without_farm() ? "there is no farm, and so no records; give 'magicwire shell' a scenario with one"
                                      : "the scenario is not monitored, so there are no records; add a 'monitor:' to it");
}

bool ShellMachine::stopped_at_breakpoint() const {
    return breakpoints_ && breakpoints_->has_news();
}

std::string ShellMachine::breakpoint_text(const Breakpoint& one) const {
    const PredicateAnswer& answer = one.answer;
    std::string text = fmt::format("breakpoint {}: {}\n  {}{}\n", one.number, one.predicate.text, word_of(answer),
                                   answer.why.empty() ? "" : "; " + answer.why);
    if (answer.truth != Truth::Holds || live_ == nullptr) return text;
    const tmon_streams::Trace trace = collected();
    text += "  the earliest consistent cut: the newest record of each node in it\n";
    for (const NodeId node : scenario_.farm.members()) {
        const std::uint32_t count = answer.cut[node.value()];
        const trace_record::Event* const event = count > 0 ? record_of(trace, node.value(), count - 1) : nullptr;
        if (event != nullptr) {
            text += line_of(*event);
        } else {
            text +=
                fmt::format("{:>17} {}\n", fmt::format("n{}", node.value()),
                            count == 0 ? "   no record" : fmt::format("   {}, which was lost", id_of(node.value(), count - 1)));
        }
    }
    if (answer.told_by)
        text += fmt::format("  told by {}, which was the last record needed\n", tmon_sorted::id_text(*answer.told_by));
    std::int64_t least = -1;
    std::string last;
    for (const tmon_order::RecordId& id : answer.records) {
        const auto* event = record_of(trace, static_cast<std::uint16_t>(id.stream), static_cast<std::uint32_t>(id.number));
        if (event == nullptr) continue;
        const std::int64_t age = age_us(live(), *event);
        if (least >= 0 && age >= least) continue;
        least = age;
        last = tmon_sorted::id_text(id);
    }
    if (least >= 0)
        text += fmt::format(
            "  lag {:.3f} ms behind {}, the newest of the records that make it true (truth: its node's clock now)\n",
            static_cast<double>(least) * 1e-3, last);
    return text;
}

std::string ShellMachine::breakpoints_json(const std::vector<Breakpoint>& all) const {
    Json json = {{"breakpoints", Json::array()}};
    const bool known = live_ != nullptr && !all.empty();
    const tmon_streams::Trace trace = known ? collected() : tmon_streams::Trace();
    for (const Breakpoint& one : all) {
        const PredicateAnswer& answer = one.answer;
        constexpr const char* truths[] = {"not-so-far", "holds", "never"};
        constexpr const char* certainties[] = {"certain", "likely", "unknown"};
        Json entry = {
            {"number", one.number}, {"predicate", one.predicate.text}, {"truth", truths[static_cast<int>(answer.truth)]}};
        entry["certainty"] = answer.truth == Truth::NotSoFar ? Json() : Json(certainties[static_cast<int>(answer.certainty)]);
        entry["why"] = answer.why.empty() ? Json() : Json(answer.why);
        entry["cut"] = Json::array();
        for (std::uint16_t node = 0; node < answer.cut.size(); ++node) {
            const std::uint32_t count = answer.cut[node];
            const auto* event = count > 0 && known ? record_of(trace, node, count - 1) : nullptr;
            Json part = {{"node", node}, {"records", count}, {"newest", count > 0 ? Json(id_of(node, count - 1)) : Json()}};
            part["raw_us"] = event != nullptr ? Json(event->time_us) : Json();
            part["age_us"] = event != nullptr ? Json(age_us(live(), *event)) : Json();
            entry["cut"].push_back(std::move(part));
        }
        entry["records"] = Json::array();
        for (const tmon_order::RecordId& id : answer.records) entry["records"].push_back(tmon_sorted::id_text(id));
        entry["told_by"] = answer.told_by ? Json(tmon_sorted::id_text(*answer.told_by)) : Json();
        json["breakpoints"].push_back(std::move(entry));
    }
    return json.dump();
}

ShellAnswer ShellMachine::answer_of_breakpoints() {
    const std::vector<Breakpoint> news = breakpoints().take_news(changes_.size());
    std::string text = fmt::format("at {}, stopped by\n", time_word(now()));
    for (const Breakpoint& one : news) text += breakpoint_text(one);
    return {.text = text, .data = breakpoints_json(news)};
}

// A person tries more than one way from a snapshot, so breakpoints stay when the run goes back.
void ShellMachine::leave_breakpoints() {
    left_breakpoints_->leave(breakpoints().text());
}

std::string ShellMachine::breakpoints_from_later() {
    std::vector<std::size_t> added = places_from_later();
    const std::string left = left_breakpoints_->read();
    if (!left.empty()) {
        const std::vector<std::size_t> predicates = breakpoints().replace(left, collected());
        if (!predicates.empty()) {
            for (const auto& monitor : live().monitors()) monitor->note_makers();
        }
        added.insert(added.end(), predicates.begin(), predicates.end());
        std::sort(added.begin(), added.end());
    }
    if (added.empty()) return {};
    return fmt::format("\nbreakpoint{} {}, given later, wait{} here, too", added.size() > 1 ? "s" : "", fmt::join(added, ", "),
                       added.size() > 1 ? "" : "s");
}

ShellAnswer ShellMachine::wait_for(const std::string& predicate) {
    const Breakpoint one = breakpoints().add(predicate, collected());
    if (stage_ == Stage::Ended) breakpoints().finish();
    leave_breakpoints();
    const Breakpoint& known = breakpoints().tell_last(changes_.size());
    if (known.answer.truth != Truth::NotSoFar) return {.text = breakpoint_text(known), .data = breakpoints_json({known})};
    ShellAnswer answer{.text = fmt::format("breakpoint {}: {}\n", one.number, one.predicate.text),
                       .data = breakpoints_json({one})};
    const std::string off = tmon_predicates::classes_off(classes_of(one.predicate), breakpoints().classes());
    if (!off.empty()) answer.text += "  note: " + off + "\n";
    if (live_ == nullptr || stage_ == Stage::Ended) return answer;
    // 'back cut' needs a moment before the cut, and the order of the acts from there on.
    for (const auto& monitor : live().monitors()) monitor->note_makers();
    const std::string name = fmt::format("break{}", one.number);
    const bool taken = std::any_of(snapshots_.begin(), snapshots_.end(),
                                   [&](const Snapshot& other) { return other.name == name || other.at == now(); });
    if (taken) return answer;
    if (snapshots_.size() >= most_snapshots) {
        answer.text += fmt::format(
            "  note: no snapshot, since there are {} already, which is the limit; 'back cut' begins at '{}' or before it\n",
            most_snapshots, snapshots_.back().name);
        return answer;
    }
    ShellAnswer held = snapshot(name);
    if (going_ || !held.text.starts_with("snapshot")) return held;  // come back here
    answer.text += held.text;
    return answer;
}

ShellAnswer ShellMachine::break_when(const std::string& arguments) {
    const BreakOrder order = parse_break(arguments, scenario_.mpi.has_value());
    switch (order.what) {
        case BreakOrder::What::When:
            breakpoints().numbers_begin_behind(place_numbers_);
            return wait_for(order.predicate);
        case BreakOrder::What::Place:
            return break_at(order);
        case BreakOrder::What::Delete:
            delete_breakpoints(order.number);
            return {.text = order.number ? fmt::format("breakpoint {} deleted", *order.number) : std::string("all deleted")};
        case BreakOrder::What::List:
            break;
    }
    if (!scenario_.mpi) breakpoints();  // says why there can be none
    std::string text = places_text();
    const std::vector<Breakpoint> none;
    const std::vector<Breakpoint>& all = breakpoints_ ? breakpoints_->all() : none;
    for (const Breakpoint& one : all)
        text += fmt::format("{:<3} {}\n    {}{}\n", one.number, one.predicate.text, word_of(one.answer),
                            one.answer.why.empty() ? "" : "; " + one.answer.why);
    return {.text = text.empty() ? "none" : text, .data = with_places(breakpoints_json(all))};
}

void ShellMachine::delete_breakpoints(std::optional<std::size_t> number) {
    const bool was_place = delete_places(number);
    if (!scenario_.mpi) breakpoints();
    const bool was_predicate = breakpoints_ && (!was_place || !number) && breakpoints_->remove(number);
    if (!was_place && !was_predicate) throw RequestError(fmt::format("there is no breakpoint {}; 'break' lists them", *number));
    if (breakpoints_) leave_breakpoints();
}

}  // namespace cli
