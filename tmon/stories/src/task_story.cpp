// Builds the story of one task: its parts and their messages, what follows from them, and the open ends.
#include <algorithm>
#include <map>
#include <tuple>

#include "farm_state.hpp"
#include "whereabouts.hpp"

namespace tmon_stories {
namespace {

constexpr auto sent = EventGraphs::sent;
constexpr auto received = EventGraphs::received;
constexpr auto result_sent = EventGraphs::result_sent;
constexpr auto result_received = EventGraphs::result_received;

RecordId id_of(const Event& event) {
    return {event.node, event.seq, event.time_us};
}

Cargo cargo_of(const Event& event, bool up) {
    if (event.is_result != 0) return Cargo::Result;
    return up ? Cargo::GivenBack : Cargo::Task;
}

class Teller {
public:
    Teller(const Stories::State& state, std::uint32_t task) : state_(state), graphs_(state.analysis.graphs), task_(task) {
        story_.task = task;
        story_.last = std::min(task + state.spec().granularity, state.spec().tasks) - 1;
    }

    TaskStory run() {
        sort_records();
        make_parts();
        close_bits();
        note_missing_ends();
        story_.doubts = state_.doubts;
        story_.finished = is_finished();
        if (!story_.finished) {
            from_source();
            for (Stop& stop : story_.stops) {
                stop.place = place_of(state_, story_, stop);
                story_.certainty = std::max(story_.certainty, stop.place.certainty);
            }
        }
        return std::move(story_);
    }

private:
    struct Ends {  // records of one edge
        std::vector<Event> parents, workers;
    };

    // ---- records and parts ----

    void sort_records() {
        std::map<std::pair<std::uint16_t, SubTaskId>, std::uint32_t> edge_of;
        for (std::uint32_t edge = 0; edge < graphs_.edges().size(); ++edge)
            edge_of[{graphs_.edges()[edge].worker, graphs_.edges()[edge].subtask}] = edge;
        for (const Event& event : state_.records_of(task_)) {
            const auto worker = worker_of(event);
            const auto edge = worker ? edge_of.find({*worker, event.subtask}) : edge_of.end();
            if (edge == edge_of.end()) {
                story_.contradictory.push_back(id_of(event));
                continue;
            }
            Ends& ends = ends_[edge->second];
            (event.node == *worker ? ends.workers : ends.parents).push_back(event);
        }
    }

    // The lower end of the edge that the message went over.
    std::optional<std::uint16_t> worker_of(const Event& event) const {
        const auto& tree = state_.tree();
        if (event.node >= state_.spec().nodes || event.peer >= state_.spec().nodes) return {};
        if (tree.parent(event.node) == event.peer) return event.node;
        if (tree.parent(event.peer) == event.node) return event.peer;
        return {};
    }

    // An edge stands behind the one above it. Those above one with records had the task too.
    void make_parts() {
        std::vector<bool> wanted(graphs_.edges().size());
        for (const auto& [edge, ends] : ends_) wanted[edge] = true;
        for (std::size_t edge = wanted.size(); edge-- > 0;)
            if (wanted[edge] && graphs_.edges()[edge].above) wanted[*graphs_.edges()[edge].above] = true;
        std::vector<std::uint32_t> edges;
        for (std::uint32_t edge = 0; edge < wanted.size(); ++edge)
            if (wanted[edge]) edges.push_back(edge);
        std::stable_sort(edges.begin(), edges.end(), [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
        std::map<std::uint32_t, std::size_t> part_of;
        for (const std::uint32_t edge : edges) {
            const auto& from = graphs_.edges()[edge];
            Part part;
            part.worker = from.worker;
            part.parent = *state_.tree().parent(from.worker);
            part.subtask = from.subtask;
            part.branch = from.branch;
            const std::size_t number = story_.parts.size();
            if (from.above) {
                part.above = part_of.at(*from.above);
                story_.parts[*part.above].below.push_back(number);
            }
            part.recorded = part.known = static_cast<std::uint8_t>(graphs_.bits(edge, task_) & 0xFU);
            moved_back_.push_back((graphs_.bits(edge, task_) & EventGraphs::moved_back) != 0);
            on_way_back_.push_back(EventGraphs::on_its_way_back(graphs_.bits(edge, task_)));
            part.moves = moves_of(part, ends_[edge]);
            part_of[edge] = number;
            story_.parts.push_back(std::move(part));
        }
    }
    std::tuple<unsigned, unsigned, std::uint16_t> order(std::uint32_t edge) const {
        const auto& from = graphs_.edges()[edge];
        return {state_.tree().level(from.worker), from.branch, from.worker};
    }

    // The k-th record of one end and kind belongs to the k-th of the other: neighbours keep their order.
    std::vector<Move> moves_of(const Part& part, const Ends& ends) const {
        std::map<std::pair<Cargo, std::size_t>, Move> moves;
        const auto take = [&](const std::vector<Event>& events, bool at_parent) {
            std::map<Cargo, std::size_t> count;
            for (const Event& event : events) {
                const bool is_send = event.kind == EventKind::Send;
                const bool up = at_parent != is_send;
                const Cargo cargo = cargo_of(event, up);
                Move& move = moves[{cargo, count[cargo]++}];
                move.cargo = cargo;
                move.from = up ? part.worker : part.parent;
                move.to = up ? part.parent : part.worker;
                move.subtask = part.subtask;
                (is_send ? move.sent : move.received) = id_of(event);
            }
        };
        take(ends.parents, true);
        take(ends.workers, false);
        std::vector<std::tuple<bool, std::size_t, Cargo>> places;  // results last, else down and back in turn
        for (const auto& [key, move] : moves) places.emplace_back(key.first == Cargo::Result, key.second, key.first);
        std::sort(places.begin(), places.end());
        const bool whole = state_.trace.streams[part.worker].whole() && state_.trace.streams[part.parent].whole();
        std::vector<Move> list;
        for (const auto& [is_result, number, cargo] : places) {
            Move move = moves.at({cargo, number});
            move.again = cargo == Cargo::Task && number > 0;
            move.guessed = !whole && (moves.contains({Cargo::Task, 1}) || moves.contains({Cargo::GivenBack, 0}));
            list.push_back(move);
        }
        return list;
    }

    // ---- what follows from the records ----

    // Every event of an edge follows from the later ones, and a part was made from a whole that had arrived. Stolen tasks undo
    // their way, and tasks that were issued again are joined elsewhere.
    void close_bits() {
        const bool steals = state_.spec().policy == farm_spec::Policy::WorkStealing;
        if (state_.broken) return;
        for (std::size_t i = story_.parts.size(); i-- > 0;) {
            Part& part = story_.parts[i];
            close_edge(i);
            if (part.above && part.known != 0 && !steals) {
                story_.parts[*part.above].known |= received;
                close_edge(*part.above);
            }
        }
        if (steals || state_.spec().survives) return;
        for (std::size_t i = 0; i < story_.parts.size(); ++i) {
            const auto above = story_.parts[i].above;
            if (!above || !story_.parts[*above].has(result_sent)) continue;
            story_.parts[i].known |= result_received;
            close_edge(i);
        }
    }
    void close_edge(std::size_t i) {
        std::uint8_t& known = story_.parts[i].known;
        if (!moved_back_[i]) known = EventGraphs::with_earlier(known);
    }

    void note_missing_ends() {
        for (const Part& part : story_.parts) {
            story_.told_in_part = story_.told_in_part || part.recorded != part.known;
            for (const Move& move : part.moves) story_.told_in_part = story_.told_in_part || !move.sent || !move.received;
        }
    }

    bool is_finished() {
        for (const Part& part : story_.parts) {
            if (part.above || !part.has(result_received)) continue;
            for (const Move& move : part.moves)
                if (move.cargo == Cargo::Result && move.received) story_.finished_by = move.received;
            return true;
        }
        return state_.trace.reported_results && *state_.trace.reported_results >= state_.spec().tasks;
    }

    // ---- open ends: the rules of fault_list.hpp, on what is known ----

    bool is_open(const Part& part) const {
        if (!part.has(sent)) return false;
        return !state_.spec().survives || !state_.silent(part.worker) || state_.silent(part.parent);
    }
    struct Standing {
        bool back = false, open = false, was_there = false;
        bool returned() const { return was_there && !back && !open; }
    };
    Standing standing(const std::vector<std::size_t>& choice) const {
        Standing now;
        for (const std::size_t i : choice) {
            const Part& part = story_.parts[i];
            now.back = now.back || part.has(result_received);
            now.open = now.open || is_open(part);
            now.was_there = now.was_there || part.has(sent) || moved_back_[i];
        }
        now.open = now.open && !now.back;
        return now;
    }
    void stop(std::size_t part, SubTaskId subtask, StopKind kind, Process process) {
        story_.stops.push_back({part, subtask, kind, process, {}});
    }

    void from_source() {
        std::vector<std::size_t> roots;
        for (std::size_t i = 0; i < story_.parts.size(); ++i)
            if (!story_.parts[i].above) roots.push_back(i);
        const Standing now = standing(roots);
        if (now.returned()) return stop(0, 0, StopKind::NotSentAgain, Process::Distributing);
        if (!now.open) return stop(0, 0, StopKind::NotGenerated, Process::DataGenerator);
        visit_open(roots);
    }
    void visit_open(const std::vector<std::size_t>& choice) {
        for (const std::size_t i : choice)
            if (is_open(story_.parts[i])) visit(i);
    }

    void visit(std::size_t i) {
        const Part& part = story_.parts[i];
        if (part.has(result_received)) return;
        if (part.has(result_sent)) return stop(i, part.subtask, StopKind::ResultNotTaken, Process::Collecting);
        if (on_way_back_[i]) return stop(i, part.subtask, StopKind::GivenBack, Process::Distributing);
        if (!part.has(received)) return stop(i, part.subtask, StopKind::NotReceived, Process::Distributing);
        const bool divides = state_.spec().divides();
        const unsigned branches = divides ? state_.spec().degree : 1;
        unsigned out = 0, back = 0, returned = 0;
        std::vector<bool> absent(branches), again(branches);
        for (unsigned branch = 0; branch < branches; ++branch) {
            const Standing now = standing(branch_of(part, branch));
            out += now.open || now.back ? 1 : 0;
            back += now.back ? 1 : 0;
            returned += now.returned() ? 1 : 0;
            absent[branch] = !now.open && !now.back;
            again[branch] = now.returned();
        }
        if (out == 0 && (!divides || returned == 0)) {
            const bool computes = !divides || !state_.tree().may_pass_down(part.worker);
            return stop(i, part.subtask, StopKind::Held, computes ? Process::Compute : Process::SplitOrCompute);
        }
        for (unsigned branch = 0; branch < branches; ++branch) {
            visit_open(branch_of(part, branch));
            if (divides && absent[branch])
                stop(i, farm_spec::FarmSpec::branch_id(part.subtask, state_.tree().level(part.worker), branch),
                     again[branch] ? StopKind::NotSentAgain : StopKind::BranchNotSent, Process::SplitOrCompute);
        }
        if (back == branches && !divides) stop(i, part.subtask, StopKind::ForwardPending, Process::Collecting);
        if (back == branches && divides) stop(i, part.subtask, StopKind::JoinReady, Process::Join);
    }
    std::vector<std::size_t> branch_of(const Part& part, unsigned branch) const {
        std::vector<std::size_t> choice;
        for (const std::size_t i : part.below)
            if (story_.parts[i].branch == branch) choice.push_back(i);
        return choice;
    }

    const Stories::State& state_;
    const EventGraphs& graphs_;
    std::uint32_t task_;
    std::map<std::uint32_t, Ends> ends_;
    std::vector<bool> moved_back_, on_way_back_;  // by part
    TaskStory story_;
};

}  // namespace

TaskStory tell(const Stories::State& state, std::uint32_t task) {
    return Teller(state, task).run();
}

}  // namespace tmon_stories
