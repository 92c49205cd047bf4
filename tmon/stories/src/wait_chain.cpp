// The chain of waits from a task down to its root. Each step asks what the part in hand waits for, by the rules of the farm
// (docs/model/farm.md). A whole waits for its parts, a task for the node that does not take it, a result for the node above.
#include <tmon_stories/wait_chain.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "farm_state.hpp"
#include "verdict_place.hpp"
#include "whereabouts.hpp"

namespace tmon_stories {
namespace {

class Chain {
public:
    Chain(const Stories::State& state, std::uint32_t task)
        : state_(state), verdict_(state), spec_(state.spec()), tree_(state.tree()), task_(task) {}

    WaitChain run() {
        const TaskStory& story = story_of(task_);
        chain_.task = story.task;
        chain_.last = story.last;
        chain_.finished = story.finished;
        chain_.finished_by = story.finished_by;
        chain_.verdict = verdict_.sentence();
        if (!story.finished) follow(story);
        for (const WaitLink& link : chain_.links) chain_.certainty = std::max(chain_.certainty, link.certainty);
        return std::move(chain_);
    }

private:
    struct Next {
        Wait wait = Wait::Root;
        std::vector<Awaited> awaits;
    };

    // ---- what is known of one task ----

    const TaskStory& story_of(std::uint32_t task) {
        const auto found = stories_.find(task);
        return found != stories_.end() ? found->second : stories_.emplace(task, tell(state_, task)).first->second;
    }
    static bool has_stop_below(const TaskStory& story, std::size_t part) {
        const auto below = [&](const Stop& stop) {
            for (std::optional<std::size_t> at = stop.part; at; at = story.parts[*at].above)
                if (*at == part) return true;
            return false;
        };
        return std::any_of(story.stops.begin(), story.stops.end(), below);
    }
    // The parts of this one that are open; those that lead to the verdict's place first.
    std::vector<Awaited> open_parts(const TaskStory& story, std::size_t part) const {
        std::vector<Awaited> open;
        for (const std::size_t below : story.parts[part].below)
            if (has_stop_below(story, below))
                open.push_back({story.task, story.parts[below].subtask, story.parts[below].worker});
        verdict_.put_first(open);
        return open;
    }
    std::optional<std::size_t> part_at(const TaskStory& story, const Awaited& what) const {
        for (std::size_t i = 0; i < story.parts.size(); ++i)
            if (story.parts[i].worker == what.node && story.parts[i].subtask == what.subtask) return i;
        return {};
    }

    // ---- the chain ----

    void follow(const TaskStory& first) {
        if (first.parts.empty()) {
            if (!add(first, first.stops.front())) return;
        } else {
            std::vector<Awaited> roots;
            for (std::size_t i = 0; i < first.parts.size(); ++i)
                if (!first.parts[i].above && has_stop_below(first, i))
                    roots.push_back({first.task, first.parts[i].subtask, first.parts[i].worker});
            verdict_.put_first(roots);
            if (roots.empty()) return add_lost({first.task, 0, 0});
            next_ = roots.front();
        }
        while (next_) {
            const Awaited at = *std::exchange(next_, {});
            const TaskStory& story = story_of(at.task);
            auto part = part_at(story, at);
            if (!seen_.emplace(at.task, at.subtask, at.node).second) return end_circle();
            if (!part || !has_stop_below(story, *part)) {
                if (story.parts.empty()) {
                    add(story, story.stops.front());
                    continue;
                }
                return add_lost(at);
            }
            if (!step(story, *part)) return;
        }
    }

    // In a processor farm the task itself went down. A whole that was split waits for its parts.
    bool step(const TaskStory& story, std::size_t part) {
        std::vector<Awaited> open = open_parts(story, part);
        if (!open.empty() && spec_.divides()) {
            WaitLink link = base_of(story, story.parts[part]);
            link.kind = StopKind::JoinWaiting;
            link.process = process_name(Process::Join);
            link.place = place_of_whole(state_, story, part);
            link.certainty =
                link.place.where == Where::On ? link.place.certainty : std::max(link.place.certainty, Certainty::Likely);
            link.wait = Wait::ForParts;
            link.awaits = std::move(open);
            next_ = link.awaits.front();
            chain_.links.push_back(std::move(link));
            return true;
        }
        if (!open.empty()) {
            next_ = open.front();
            return true;
        }
        const auto stop =
            std::find_if(story.stops.begin(), story.stops.end(), [part](const Stop& each) { return each.part == part; });
        return add(story, *stop);
    }

    static WaitLink base_of(const TaskStory& story, const Part& part) {
        WaitLink link;
        link.task = story.task;
        link.subtask = part.subtask;
        link.node = part.worker;
        return link;
    }

    // The link of a stop. False: it is the root.
    bool add(const TaskStory& story, const Stop& stop) {
        WaitLink link;
        link.task = story.task;
        if (!story.parts.empty()) link = base_of(story, story.parts[stop.part]);
        link.kind = stop.kind;
        link.process = process_name(stop.process);
        link.place = stop.place;
        const Awaited here{link.task, link.subtask, link.node};
        if (verdict_.names(here, stop.place)) return add_root(std::move(link), true);
        Next next = next_of(story, stop);
        if (next.awaits.empty()) {
            if (verdict_.names_receiver()) return add_receiver(std::move(link));
            return add_root(std::move(link), false);
        }
        link.wait = next.wait;
        link.awaits = std::move(next.awaits);
        link.certainty = std::max(link.place.certainty, is_certain_wait(link) ? Certainty::Certain : Certainty::Likely);
        next_ = link.awaits.front();
        chain_.links.push_back(std::move(link));
        return true;
    }
    // Behind a task that certainly hangs in its function there.
    bool is_certain_wait(const WaitLink& link) const {
        return link.wait == Wait::ForComputation && verdict_.certainly_in_process() && verdict_.names(link.awaits.front());
    }

    bool add_root(WaitLink link, bool verdicts) {
        link.wait = Wait::Root;
        link.certainty = verdicts ? verdict_.certainty() : std::max(link.place.certainty, Certainty::Likely);
        if (verdicts) link.process = verdict_.process();
        chain_.root_is_the_verdicts = verdicts;
        chain_.root_in_process = verdicts && verdict_.certainly_in_process();
        chain_.links.push_back(std::move(link));
        return false;
    }
    bool add_receiver(WaitLink link) {
        link.wait = Wait::ForReceiver;
        link.certainty = std::max(link.place.certainty, Certainty::Likely);
        link.awaits = {{link.task, 0, 0}};
        WaitLink root;
        root.task = link.task;
        root.kind = StopKind::ResultNotTaken;
        root.process = verdict_.process();
        root.certainty = root.place.certainty = verdict_.certainty();
        chain_.links.push_back(std::move(link));
        chain_.root_is_the_verdicts = true;
        chain_.links.push_back(std::move(root));
        return false;
    }
    // Records that do not fit each other can lead back. Then the last link is where the records end.
    void end_circle() {
        chain_.links.back().wait = Wait::Root;
        chain_.links.back().certainty = Certainty::Unknown;
        chain_.links.back().awaits.clear();
    }
    // The records that would tell more of it are missing.
    void add_lost(const Awaited& at) {
        WaitLink link;
        std::tie(link.task, link.subtask, link.node) = std::tuple(at.task, at.subtask, at.node);
        link.place.node = at.node;
        link.place.depends_on.push_back("its records are missing");
        chain_.links.push_back(std::move(link));
    }

    // ---- what a stop waits for ----

    Next next_of(const TaskStory& story, const Stop& stop) {
        if (stop.kind == StopKind::NotGenerated) return before_sending(story.task);
        const Part& part = story.parts[stop.part];
        const Awaited here{story.task, part.subtask, part.worker};
        switch (stop.kind) {
            case StopKind::NotReceived:
                return {Wait::ForRoom, others_at(part.worker, here)};
            case StopKind::ResultNotTaken:
            case StopKind::GivenBack:
            case StopKind::ForwardPending:
                return {Wait::ForParent, results_at(part.parent)};
            case StopKind::JoinReady:
                return {Wait::ForComputation, verdict_.first_at(part.worker)};
            default:
                return held(part, here);
        }
    }

    // A part on a node: for the children to take it, if all of them have something; else behind what the node got before.
    Next held(const Part& part, const Awaited& here) {
        if (auto verdicts = verdict_.first_at(part.worker); !verdicts.empty()) return {Wait::ForComputation, verdicts};
        if (tree_.may_pass_down(part.worker)) {
            auto below = at_children(part.worker);
            if (!below.empty()) return {Wait::ForChild, std::move(below)};
        }
        return {Wait::ForComputation, others_at(part.worker, here)};
    }

    // The first outstanding part at each child. Empty when a child has none: that one could take it.
    std::vector<Awaited> at_children(std::uint16_t node) const {
        std::vector<Awaited> all;
        for (const std::uint16_t child : tree_.children(node)) {
            if (state_.outstanding[child].empty()) return {};
            std::vector<Awaited> here = state_.outstanding[child];
            verdict_.put_named_first(here);
            all.push_back(here.front());
        }
        verdict_.put_first(all);
        return all;
    }
    // The parts that the node was sent before.
    std::vector<Awaited> others_at(std::uint16_t node, const Awaited& here) const {
        std::vector<Awaited> others;
        for (const Awaited& each : state_.outstanding[node]) {
            if (each == here) break;
            others.push_back(each);
        }
        verdict_.put_named_first(others);
        return others;
    }
    // Results that cannot go on from this node.
    std::vector<Awaited> results_at(std::uint16_t node) {
        std::vector<Awaited> found;
        if (node == 0) return found;
        for (const Awaited& each : state_.outstanding[node]) {
            const TaskStory& story = story_of(each.task);
            const auto part = part_at(story, each);
            for (const Stop& stop : story.stops) {
                const bool goes_up = stop.kind == StopKind::JoinReady || stop.kind == StopKind::ForwardPending ||
                                     stop.kind == StopKind::ResultNotTaken;
                if (part == stop.part && goes_up) found.push_back(each);
            }
        }
        verdict_.put_named_first(found);
        return found;
    }
    // Node 0 sends tasks in their order, as its children have room.
    Next before_sending(std::uint32_t task) {
        if (const auto unsent = verdict_.unsent_before(task)) return {Wait::ForSending, {{*unsent, 0, 0}}};
        return {Wait::ForSending, at_children(0)};
    }

    const Stories::State& state_;
    VerdictPlace verdict_;
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
    std::uint32_t task_;
    std::map<std::uint32_t, TaskStory> stories_;
    std::set<std::tuple<std::uint32_t, SubTaskId, std::uint16_t>> seen_;
    std::optional<Awaited> next_;
    WaitChain chain_;
};

}  // namespace

WaitChain chain_of(const Stories::State& state, std::uint32_t task) {
    return Chain(state, task).run();
}

}  // namespace tmon_stories
