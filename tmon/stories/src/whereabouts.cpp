#include "whereabouts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <tmon_streams/trace_summary.hpp>

namespace tmon_stories {
namespace {

using trace_record::LossCause;
using trace_record::LossRange;

class Whereabouts {
public:
    Whereabouts(const Stories::State& state, const TaskStory& story, const Stop& stop)
        : state_(state), story_(story), stop_(stop) {}

    Place run() {
        place_.depends_on = state_.doubts;
        if (story_.parts.empty() || stop_.kind == StopKind::NotGenerated) return not_sent();
        const Part& part = story_.parts[stop_.part];
        name(part);
        rest_on(part);
        note_silent(part);
        const bool settled = state_.doubts.empty() && is_exact(part);
        if (state_.doubts.empty()) place_.within = region(stop_.part);
        if (settled) {
            place_.certainty = Certainty::Certain;
            place_.depends_on.clear();
            if (may_be_behind(part)) place_.where = Where::OnOrBehind;
        } else if (place_.within == part.worker && region_is_all()) {
            place_.certainty = Certainty::Certain;
            place_.where = Where::AtOrBelow;
            place_.node = part.worker;
            place_.depends_on.clear();
        } else {
            judge(part);
        }
        return std::move(place_);
    }

private:
    // Nothing of it was recorded anywhere. A message is recorded when it has left: a silent child may have it already.
    Place not_sent() {
        place_.where = Where::NotSent;
        hide(0, std::nullopt);
        const bool open = place_.depends_on.size() > state_.doubts.size();
        for (const std::uint16_t child : state_.tree().children(0)) {
            if (open || !alive(child)) hide(child, std::nullopt);
        }
        decide();
        return std::move(place_);
    }

    void name(const Part& part) {
        place_.node = part.worker;
        if (stop_.kind == StopKind::NotReceived) {
            place_.where = Where::OnTheWay;
            place_.from = part.parent;
        } else if (stop_.kind == StopKind::ResultNotTaken || stop_.kind == StopKind::GivenBack) {
            place_.where = Where::OnTheWay;
            place_.from = part.worker;
            place_.node = part.parent;
        } else if (stop_.kind == StopKind::NotSentAgain && !part.above && stop_.process == Process::Distributing) {
            place_.node = 0;
        }
    }

    void rest_on(const Part& part) {
        for (const Move& move : part.moves) {
            if (move.sent) place_.rests_on.push_back(*move.sent);
            if (move.received) place_.rests_on.push_back(*move.received);
        }
        if (stop_.kind != StopKind::JoinReady && stop_.kind != StopKind::ForwardPending) return;
        for (const std::size_t below : part.below)
            for (const Move& move : story_.parts[below].moves)
                if (move.cargo == Cargo::Result && move.received) place_.rests_on.push_back(*move.received);
    }

    void note_silent(const Part& part) {
        const auto note = [this](std::uint16_t node) {
            if (state_.silent(node)) place_.silent.push_back(node);
        };
        if (part.parent != 0 || state_.silent(0)) note(part.parent);
        note(part.worker);
        for (const std::uint16_t child : state_.tree().children(part.worker)) note(child);
    }

    // ---- what the records of one node prove ----

    bool alive(std::uint16_t node) const { return !state_.silent(node); }
    // A node whose monitor never began waits at its first record, whatever came to it.
    bool has_begun(std::uint16_t node) const { return state_.trace.streams[node].size() > 0; }
    // True when no record of the node after this one can be missing. Empty: none at all.
    bool tells_all(std::uint16_t node, const std::optional<RecordId>& after) const {
        const auto& losses = state_.trace.streams[node].losses;
        const bool lost = std::any_of(losses.begin(), losses.end(),
                                      [&](const LossRange& range) { return !after || range.last_seq > after->seq; });
        return alive(node) && !lost && has_begun(node);
    }
    std::optional<RecordId> last_end(const Part& part, std::uint16_t node) const {
        std::optional<RecordId> last;
        for (const Move& move : part.moves) {
            for (const auto& end : {move.sent, move.received})
                if (end && end->node == node && (!last || end->seq > last->seq)) last = end;
        }
        return last;
    }

    // Nothing of the part can have gone over its edge upwards without a record. A node with an end mark has taken what it was
    // sent, and its end mark came over that edge.
    bool stayed_below(const Part& part) const {
        if (part.has(EventGraphs::result_sent)) return false;
        return tells_all(part.parent, last_end(part, part.parent)) || tells_all(part.worker, last_end(part, part.worker));
    }

    // The lowest node that it is certainly at or below; 0 for the farm. Empty: its result may have come back.
    std::optional<std::uint16_t> region(std::size_t part) const {
        std::optional<std::size_t> at = part;
        if (stop_.kind == StopKind::ResultNotTaken) {
            const Part& sent_up = story_.parts[part];
            if (tells_all(sent_up.parent, last_end(sent_up, sent_up.parent))) return sent_up.worker;
            at = sent_up.above;
        }
        for (; at; at = story_.parts[*at].above)
            if (stayed_below(story_.parts[*at])) return story_.parts[*at].worker;
        if (tells_all(0, std::nullopt)) return std::uint16_t{0};
        return std::nullopt;
    }
    // A branch or result is named by its whole, whose region is that of the stop.
    bool region_is_all() const { return stop_.kind != StopKind::NotSentAgain; }

    // ---- exact places ----

    bool is_exact(const Part& part) const {
        const auto at_worker = last_end(part, part.worker), at_parent = last_end(part, part.parent);
        switch (stop_.kind) {
            case StopKind::NotReceived:
                return part_was(part, EventGraphs::sent) && alive(part.parent) && tells_all(part.worker, std::nullopt);
            case StopKind::ResultNotTaken:
                return part_was(part, EventGraphs::result_sent) && alive(part.worker) && tells_all(part.parent, at_parent);
            case StopKind::GivenBack:
                return at_worker && alive(part.worker) && tells_all(part.parent, at_parent);
            case StopKind::NotSentAgain:
                return false;
            default:
                return at_worker && tells_all(part.worker, at_worker);
        }
    }
    // A message is recorded when it has left, and to a silent child it may never have left.
    bool may_be_behind(const Part& part) const {
        const bool holds = stop_.kind == StopKind::Held || stop_.kind == StopKind::BranchNotSent;
        return holds && !no_silent_child(part.worker);
    }
    static bool part_was(const Part& part, std::uint8_t bit) { return (part.recorded & bit) != 0; }
    bool no_silent_child(std::uint16_t node) const {
        if (!state_.tree().may_pass_down(node)) return true;
        const auto children = state_.tree().children(node);
        return std::all_of(children.begin(), children.end(), [this](std::uint16_t child) { return alive(child); });
    }

    // ---- when it is not certain ----

    void judge(const Part& part) {
        hide(part.worker, last_end(part, part.worker));
        hide(part.parent, last_end(part, part.parent));
        if (state_.tree().may_pass_down(part.worker))
            for (const std::uint16_t child : state_.tree().children(part.worker)) hide(child, std::nullopt);
        decide();
    }
    void decide() {
        if (stop_.kind == StopKind::NotSentAgain)
            place_.depends_on.push_back("no record is made when a node takes a task again");
        if (place_.depends_on.empty()) {
            place_.certainty = Certainty::Certain;
        } else {
            place_.certainty = lost_ || state_.broken ? Certainty::Unknown : Certainty::Likely;
        }
    }
    void hide(std::uint16_t node, const std::optional<RecordId>& after) {
        for (const LossRange& range : state_.trace.streams[node].losses) {
            if (after && range.last_seq <= after->seq) continue;
            place_.depends_on.push_back("records " + tmon_streams::loss_text(range) + " are missing");
            lost_ = lost_ || range.cause != LossCause::NodeDied;
        }
        if (!alive(node)) place_.depends_on.push_back(fmt::format("the last records of n{} may be missing", node));
        if (alive(node) && !has_begun(node))
            place_.depends_on.push_back(fmt::format("n{} lives and has no record, so its monitor may never have begun", node));
    }

    const Stories::State& state_;
    const TaskStory& story_;
    const Stop& stop_;
    Place place_;
    bool lost_ = false;
};

}  // namespace

Place place_of(const Stories::State& state, const TaskStory& story, const Stop& stop) {
    return Whereabouts(state, story, stop).run();
}

Place place_of_whole(const Stories::State& state, const TaskStory& story, std::size_t part) {
    const Stop stop{part, story.parts[part].subtask, StopKind::JoinWaiting, Process::Join, {}};
    return Whereabouts(state, story, stop).run();
}

}  // namespace tmon_stories
