#include "task_graph.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tmon_stories {
namespace {

using tmon_detrek::EventGraphs;

class Builder {
public:
    Builder(const Stories& stories, const TaskStory& story)
        : stories_(stories), story_(story), divides_(stories.spec().divides()) {}

    TaskGraph run() {
        const std::size_t generator = add("data_generator()", 0, 0, 2);
        graph_.processes[generator].first.push_back({"source", {}, true});
        std::vector<std::size_t> roots;
        for (std::size_t i = 0; i < story_.parts.size(); ++i)
            if (!story_.parts[i].above) roots.push_back(i);
        for (const std::size_t root : roots) put_part(root, generator, std::nullopt);
        if (story_.parts.empty()) graph_.processes[generator].first.back().frontier = true;
        if (post_) graph_.processes[*post_].then.push_back({"sink", {}, true});
        mark_frontier();
        return std::move(graph_);
    }

private:
    std::size_t add(std::string name, std::uint16_t node, SubTaskId subtask, unsigned wanted) {
        graph_.processes.push_back({std::move(name), node, subtask, {}, {}, wanted});
        return graph_.processes.size() - 1;
    }
    GraphVertex event(std::size_t process, bool in_then, std::string words, const std::optional<RecordId>& record) {
        auto& list = in_then ? graph_.processes[process].then : graph_.processes[process].first;
        list.push_back({std::move(words), record});
        return {process, in_then, list.size() - 1};
    }
    std::string name_of(const Part& part) const {
        return divides_ ? tmon_detrek::subtask_text(part.subtask, stories_.spec()) + " " : "";
    }

    // `from` sends the part, and `to` takes its result: the process is made when there is one.
    void put_part(std::size_t i, std::size_t from, std::optional<std::size_t> to) {
        const Part& part = story_.parts[i];
        const unsigned degree = divides_ ? stories_.spec().degree : 1;
        const bool passes = !part.below.empty();
        const bool sent = part.has(EventGraphs::result_sent);
        std::string maker = divides_ ? "split_fn()" : "passing on";
        if (!passes)
            maker = stories_.analysis().graphs.tree().may_pass_down(part.worker) && divides_ && !sent
                        ? "split_fn() or comp_fn()"
                        : "comp_fn()";
        const std::size_t process = add(std::move(maker), part.worker, part.subtask, passes ? degree + 1 : 2);
        put_moves(part, from, process);
        std::size_t sender = process;
        for (const std::size_t below : part.below) {
            const Part& child = story_.parts[below];
            const bool result = child.has(EventGraphs::result_sent) || child.has(EventGraphs::result_received);
            if ((result || sent) && sender == process)
                sender = add(divides_ ? "join_fn()" : "passing back", part.worker, part.subtask, degree + 1);
            put_part(below, process, sender == process ? std::nullopt : std::optional(sender));
        }
        if (sent || part.has(EventGraphs::result_received)) put_result(part, sender, to);
    }

    // The messages before the result: down, and back up where it was stolen.
    void put_moves(const Part& part, std::size_t from, std::size_t process) {
        for (const Move& move : part.moves) {
            if (move.cargo == Cargo::Result) continue;
            const bool back = move.cargo == Cargo::GivenBack;
            const std::string name = name_of(part);
            std::optional<GraphVertex> out, in;
            const bool known_sent = move.sent || move.received, known_taken = move.received || part.has(EventGraphs::received);
            if (known_sent)
                out = event(back ? process : from, true, fmt::format("{} {}to n{}", back ? "give back" : "send", name, move.to),
                            move.sent);
            if (back ? move.received.has_value() : known_taken)
                in = event(back ? from : process, back, fmt::format("receive {}from n{}", name, move.from), move.received);
            if (out && in) graph_.messages.push_back({*out, *in, false, move.guessed});
        }
        if (!part.moves.empty() && part.moves.front().cargo != Cargo::Result) return;
        if (!part.has(EventGraphs::received)) return;  // no record of its way down, which follows from others
        const GraphVertex out = event(from, true, fmt::format("send {}to n{}", name_of(part), part.worker), {});
        const GraphVertex in = event(process, false, fmt::format("receive {}from n{}", name_of(part), part.parent), {});
        graph_.messages.push_back({out, in});
    }

    void put_result(const Part& part, std::size_t sender, std::optional<std::size_t> to) {
        Move move;
        for (const Move& each : part.moves)
            if (each.cargo == Cargo::Result) move = each;
        const GraphVertex out = event(sender, true, fmt::format("send {}result to n{}", name_of(part), part.parent), move.sent);
        if (!part.has(EventGraphs::result_received)) return;
        if (!to && part.parent != 0) return;
        const std::size_t taker = to ? *to : post_processor();
        const GraphVertex in =
            event(taker, false, fmt::format("receive {}result from n{}", name_of(part), part.worker), move.received);
        graph_.messages.push_back({out, in, true});
    }
    std::size_t post_processor() {
        if (!post_) post_ = add("result_receiver()", 0, 0, 2);
        return *post_;
    }
    // Events that are reached from the source and have no arc onwards, in a task that has not finished.
    void mark_frontier() {
        if (story_.finished) return;
        for (std::size_t p = 0; p < graph_.processes.size(); ++p) {
            GraphProcess& process = graph_.processes[p];
            const auto leads_on = [&](bool in_then, std::size_t number) {
                return std::any_of(graph_.messages.begin(), graph_.messages.end(), [&](const GraphArc& arc) {
                    return arc.from.process == p && arc.from.in_then == in_then && arc.from.number == number;
                });
            };
            for (std::size_t k = 0; k < process.then.size(); ++k) process.then[k].frontier = !leads_on(true, k);
            for (GraphEvent& event : process.first) event.frontier = process.then.empty();
            const auto is_frontier = [](const GraphEvent& event) { return event.frontier; };
            process.frontier = std::any_of(process.first.begin(), process.first.end(), is_frontier) ||
                               std::any_of(process.then.begin(), process.then.end(), is_frontier);
        }
    }

    const Stories& stories_;
    const TaskStory& story_;
    bool divides_;
    TaskGraph graph_;
    std::optional<std::size_t> post_;
};

}  // namespace

TaskGraph graph_of(const Stories& stories, const TaskStory& story) {
    return Builder(stories, story).run();
}

}  // namespace tmon_stories
