// The way of `back cut` from a snapshot to the cut: what was typed behind the snapshot is made again, each at its time. And
// what holding processes does to a verdict.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "shell/breakpoints.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

using vocabulary::NodeId;
using vocabulary::RequestError;
using vocabulary::SimTime;

// In the process that goes on from the snapshot. The line that repeats the run gives the breakpoint here, too.
ShellAnswer ShellMachine::go_to_cut(const std::string& order, const std::string& back) {
    to_cut_ = std::make_unique<ToCut>(ToCut::of(order));
    to_cut_->back = back;
    for (const NodeId node : scenario_.farm.members())
        live().monitors()[node.value()]->follow(to_cut_->nodes[node.value()].makers);
    held_from_ = now();
    held_to_.reset();
    changes_.push_back({now(), now(), "break when " + to_cut_->predicate, true});
    return go_on_to_cut();
}

// To the next change, or all the rest.
ShellAnswer ShellMachine::go_on_to_cut() {
    while (to_cut_->next < to_cut_->changes.size()) {
        const Change& one = to_cut_->changes[to_cut_->next];
        if (one.at > now()) return go({.until = one.at, .by_session = !by_hand_});
        ++to_cut_->next;
        make_again(one);
        if (going_) return {};
    }
    return go({.until = to_cut_->stopped_at + SimTime::s(1), .by_session = !by_hand_});
}

// It gets as much time as before. What it notes of itself would have other times.
void ShellMachine::make_again(Change change) {
    const std::size_t before = changes_.size();
    const ShellAnswer answer = obey(change.line);
    changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(before), changes_.end());
    if (going_) going_->until = std::min(going_->until, now() + std::max(change.until - change.at, SimTime::ps(1)));
    if (!answer.ok) to_cut_->refused.push_back(fmt::format("{} ({})", change.line, answer.text));
    changes_.push_back(std::move(change));
}

bool ShellMachine::is_over_on_the_way() {
    ToCut& to = *to_cut_;
    const bool done = going_->there && going_->there();
    const bool on_last = to.next == to.changes.size() && !going_->there;
    const bool at_end = is_at_cut(to) || (on_last && goes_nowhere(to));
    const bool late = now() >= going_->until;
    if (!done && !at_end && !late && interrupted == 0) return false;
    const Going over = *std::exchange(going_, std::nullopt);
    if (interrupted != 0) {
        command_.reset();
        to_cut_.reset();
        say({.ok = false, .text = interrupted_text});
        return true;
    }
    if (over.there && !done)
        to.refused.push_back(fmt::format("{} (it was not over, and is waited for no longer)", changes_.back().line));
    if (done && over.answer) over.answer();  // it may have effects
    command_.reset();
    if (at_end || (late && on_last)) {
        say(end_of_way());
    } else {
        go_on_to_cut();
    }
    return true;
}

ShellAnswer ShellMachine::end_of_way() {
    const std::unique_ptr<ToCut> to = std::move(to_cut_);
    command_.reset();
    const std::string text = to->back + "\n" + cut_text(*to);
    if (breakpoints_) breakpoints_->take_news(changes_.size());
    // The repetition stops at the same moment only with the changes that were left out here.
    for (; to->next < to->changes.size(); ++to->next) {
        changes_.push_back(to->changes[to->next]);
        changes_.back().of_holding = true;
    }
    changes_.push_back({SimTime(), now(), "run\nback cut", true});
    return {.ok = is_at_cut(*to), .text = text};
}

ShellAnswer ShellMachine::release(const std::string& arguments) {
    if (!arguments.empty()) throw RequestError(fmt::format("'release' takes no argument, and got '{}'", arguments));
    breakpoints();
    const auto monitors = running().monitors();
    for (const NodeId node : scenario_.farm.members()) monitors[node.value()]->release(live().machine().kernel(node));
    note_command();
    if (!changes_.empty()) changes_.back().of_holding = true;
    if (held_from_ && !held_to_) held_to_ = now();
    return {.text = "all processes go on"};
}

std::string ShellMachine::held_text() const {
    if (!held_from_ || live_ == nullptr) return {};
    if (held_to_)
        return fmt::format(
            "note: up to {} 'back cut' held processes; what they did is late by that, or came in another order\n",
            time_word(*held_to_));
    std::vector<std::string> nodes;
    for (const NodeId node : scenario_.farm.members()) {
        const auto* const script = live().monitors()[node.value()]->script();
        if (script != nullptr && !script->held.empty()) nodes.push_back(fmt::format("n{}", node.value()));
    }
    const std::string which = nodes.empty() ? "at their next record" : fmt::format("of {}", fmt::join(nodes, ", "));
    if (analysis_) return fmt::format("note: up to the end 'back cut' held processes {}\n", which);
    return fmt::format("note: 'back cut' holds processes {}; 'release' lets them go on\n", which);
}

std::string ShellMachine::doubt_of_held() const {
    if (!held_from_ || held_to_) return {};
    return "processes are held, so a stop may be theirs; no record tells it from a fault";
}

// The records still show where they stop. No place is named from that.
void ShellMachine::doubt_analysis() {
    const std::string note = held_text(), doubt = doubt_of_held();
    std::string& text = analysis_->text;
    if (doubt.empty() || analysis_->verdict.kind == tmon_detrek::VerdictKind::None) {
        text.insert(0, note);
        return;
    }
    const std::size_t list = text.find("\nFailure\n");
    const std::string sentence = "Unknown: " + doubt + ".";
    text = note + sentence + "\n" + (list == std::string::npos ? "" : text.substr(list));
    analysis_->verdict = {};
    analysis_->verdict.kind = tmon_detrek::VerdictKind::Unknown;
    analysis_->verdict.sentence = sentence;
    analysis_->exit_code = exit_code::unknown;
    auto json = nlohmann::ordered_json::parse(analysis_->json);
    json["exit_code"] = exit_code::unknown;
    for (auto& [name, value] : json["verdict"].items()) {
        if (name == "assumptions") continue;
        if (value.is_array()) value.clear();
        if (value.is_number()) value = nullptr;
    }
    json["verdict"]["kind"] = verdict_kind_name(analysis_->verdict.kind);
    json["verdict"]["sentence"] = sentence;
    json["verdict"]["process"] = "";
    json["verdict"]["depends_on"] = {doubt};
    analysis_->json = json.dump(2) + "\n";
}

}  // namespace cli
