#include <tmon_stories/task_picture.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "story_words.hpp"
#include "task_graph.hpp"

namespace tmon_stories {
namespace {

// Colours that differ for every kind of sight (Okabe and Ito), in light tints.
constexpr const char *complete_look = R"(shape=box, style="filled,rounded", fillcolor="#DDEFFA", color="#0072B2")",
                     *incomplete_look =
                         R"(shape=box, style="filled,dashed", fillcolor="#FDF3D8", color="#B07A00", penwidth=1.6)",
                     *frontier_look = R"(shape=octagon, style="filled,bold", fillcolor="#FBE0D0", color="#B03A00", penwidth=3)",
                     *lost_look = R"(shape=note, style="dotted", color="#555555", fontcolor="#555555", penwidth=1.6)",
                     *pseudo_look = R"(shape=ellipse, style=solid, color="#555555")",
                     *absent_look = R"(shape=plaintext, fontcolor="#777777")";

std::string dot_string(const std::string& text) {
    return "\"" + text + "\"";
}

std::string vertex_name(const GraphVertex& vertex) {
    return fmt::format("e{}_{}{}", vertex.process, vertex.in_then ? "t" : "f", vertex.number);
}

struct Sign {
    const char *look, *words;
};

class Drawing {
public:
    Drawing(const Stories& stories, const TaskStory& story) : stories_(stories), story_(story) {}

    std::string run(Picture picture) {
        text_ = fmt::format("digraph {} {{\n", dot_string(title()));
        text_ +=
            "  graph [fontname=\"Helvetica\", fontsize=12, bgcolor=white, labelloc=t, nodesep=0.25, ranksep=0.35];\n"
            "  node [fontname=\"Helvetica\", fontsize=10, margin=\"0.09,0.05\", height=0.3];\n"
            "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n";
        text_ += fmt::format("  label={};\n", dot_string(title() + what_is(picture)));
        if (picture == Picture::Events) events();
        if (picture == Picture::Coalesced) coalesced();
        if (picture == Picture::Tree) tree();
        return text_ + "}\n";
    }

private:
    std::string title() const {
        std::string text = what_text(stories_, story_.task, 0, 0);
        text[0] = 'T';
        return text;
    }
    std::string what_is(Picture picture) const {
        const char* what = ": events, with the record and the clock of each node";
        if (picture == Picture::Coalesced) what = ": processes";
        if (picture == Picture::Tree) what = ": its way over the farm's tree";
        return fmt::format("{}{}", what, story_.finished ? "; finished" : "; not finished");
    }

    // ---- events ----

    static const char* look_of(const GraphEvent& event, bool frontier) {
        if (frontier) return frontier_look;
        if (event.lost()) return lost_look;
        return event.pseudo ? pseudo_look : complete_look;
    }
    void put_event(const GraphVertex& at, const GraphEvent& event) {
        std::string label = event.words;
        if (event.record) label += fmt::format("\\n{}, {} us", record_text(*event.record), event.record->time_us);
        if (event.lost()) label += "\\nno record";
        text_ += fmt::format("    {} [label={}, {}];\n", vertex_name(at), dot_string(label), look_of(event, event.frontier));
    }
    void events() {
        const TaskGraph graph = graph_of(stories_, story_);
        for (std::size_t p = 0; p < graph.processes.size(); ++p) {
            const GraphProcess& process = graph.processes[p];
            text_ += fmt::format(
                "  subgraph cluster_{} {{\n    label={}; labelloc=t; labeljust=l; fontsize=10; color=\"#999999\"; style={};\n",
                p, dot_string(fmt::format("n{} {}", process.node, process.name)), process.complete() ? "solid" : "dashed");
            for (std::size_t k = 0; k < process.first.size(); ++k) put_event({p, false, k}, process.first[k]);
            for (std::size_t k = 0; k < process.then.size(); ++k) put_event({p, true, k}, process.then[k]);
            for (std::size_t a = 0; a < process.first.size(); ++a)
                for (std::size_t b = 0; b < process.then.size(); ++b)
                    text_ += fmt::format("    {} -> {} [color=\"#999999\", arrowhead=open];\n", vertex_name({p, false, a}),
                                         vertex_name({p, true, b}));
            text_ += "  }\n";
        }
        for (const GraphArc& arc : graph.messages)
            text_ += fmt::format("  {} -> {} [{}];\n", vertex_name(arc.from), vertex_name(arc.to),
                                 arc_look(arc.result, arc.guessed));
        legend({{complete_look, "recorded"},
                {frontier_look, "frontier: no further"},
                {lost_look, "lost, but it happened"},
                {pseudo_look, "source, sink"}});
    }
    static std::string arc_look(bool result, bool guessed) {
        return fmt::format("color=\"#000000\", penwidth=1.4, arrowhead={}{}", result ? "empty" : "normal",
                           guessed ? ", style=dotted" : "");
    }

    // ---- processes ----

    void coalesced() {
        const TaskGraph graph = graph_of(stories_, story_);
        for (std::size_t p = 0; p < graph.processes.size(); ++p) put_process(p, graph.processes[p]);
        for (const GraphArc& arc : graph.messages)
            text_ += fmt::format("  p{} -> p{} [{}];\n", arc.from.process, arc.to.process, arc_look(arc.result, arc.guessed));
        legend({{complete_look, "complete"},
                {incomplete_look, "incomplete"},
                {frontier_look, "frontier: no further"},
                {lost_look, "lost, but it ran"}});
    }
    void put_process(std::size_t p, const GraphProcess& process) {
        std::vector<std::string> ids;
        bool all_lost = process.count() > 0;
        for (const auto* list : {&process.first, &process.then}) {
            for (const GraphEvent& event : *list) {
                all_lost = all_lost && event.lost();
                if (event.record) ids.push_back(record_text(*event.record));
            }
        }
        const char* look = process.complete() ? complete_look : incomplete_look;
        if (all_lost) look = lost_look;
        if (process.frontier) look = frontier_look;
        std::string label = fmt::format("n{}  {}", process.node, process.name);
        if (stories_.spec().divides())
            label += fmt::format("\\n{}", tmon_detrek::subtask_text(process.subtask, stories_.spec()));
        label += fmt::format("   {} of {} events", process.count(), process.wanted);
        if (!ids.empty()) label += "\\n" + joined(ids, " ");
        text_ += fmt::format("  p{} [label={}, {}];\n", p, dot_string(label), look);
    }

    // ---- the farm's tree ----

    void tree() {
        const auto& farm = stories_.analysis().graphs.tree();
        std::set<std::uint16_t> frontier, had, taken_on, lost;
        for (const Part& part : story_.parts) {
            (part.recorded != 0 ? had : lost).insert(part.worker);
            for (const std::size_t below : part.below) taken_on.insert(story_.parts[below].parent);
        }
        for (const Stop& stop : story_.stops) frontier.insert(stop.place.node);
        for (const std::uint16_t node : farm.from_the_top()) {
            const bool silent = stories_.trace().streams[node].state == tmon_streams::StreamState::Open;
            const char* look = absent_look;
            if (node == 0 || had.contains(node)) look = is_done(node) ? complete_look : incomplete_look;
            if (lost.contains(node) && !had.contains(node)) look = lost_look;
            if (frontier.contains(node)) look = frontier_look;
            text_ += fmt::format("  n{} [label={}, {}];\n", node,
                                 dot_string(fmt::format("n{}{}{}", node, silent ? " (silent)" : "", parts_on(node))), look);
        }
        for (const std::uint16_t node : farm.from_the_top())
            if (const auto above = farm.parent(node)) put_tree_edge(*above, node);
        legend({{complete_look, "complete"},
                {incomplete_look, "incomplete"},
                {frontier_look, "frontier: no further"},
                {lost_look, "lost, but it was here"},
                {absent_look, "no record of it"}});
    }
    bool is_done(std::uint16_t node) const {
        if (node == 0) return story_.finished;
        return std::all_of(story_.parts.begin(), story_.parts.end(), [node](const Part& part) {
            return part.worker != node || part.has(tmon_detrek::EventGraphs::result_sent);
        });
    }
    std::string parts_on(std::uint16_t node) const {
        std::string text;
        for (const Part& part : story_.parts)
            if (part.worker == node && stories_.spec().divides())
                text += "\\n" + tmon_detrek::subtask_text(part.subtask, stories_.spec());
        for (const Stop& stop : story_.stops)
            if (stop.place.node == node)
                text += fmt::format("\\n{}: {}", certainty_name(stop.place.certainty), tmon_detrek::process_name(stop.process));
        return text;
    }
    // One line down and one up for what went there; a thin grey one where nothing did.
    void put_tree_edge(std::uint16_t above, std::uint16_t node) {
        std::string down, up;
        for (const Part& part : story_.parts) {
            if (part.worker != node) continue;
            for (const Move& move : part.moves) {
                std::string& words = move.cargo == Cargo::Task ? down : up;
                if (move.cargo == Cargo::GivenBack) words = "  given back";
                for (const auto& end : {move.sent, move.received}) {
                    if (!words.empty()) words += "\\n";
                    words += "  " + (end ? record_text(*end) : "-");
                }
            }
        }
        if (down.empty() && up.empty()) {
            text_ += fmt::format("  n{} -> n{} [color=\"#BBBBBB\", arrowhead=none];\n", above, node);
            return;
        }
        if (!down.empty())
            text_ += fmt::format("  n{} -> n{} [label={}, {}];\n", above, node, dot_string(down), arc_look(false, false));
        if (!up.empty())
            text_ += fmt::format("  n{} -> n{} [dir=back, label={}, {}];\n", above, node, dot_string(up),
                                 "color=\"#000000\", penwidth=1.4, arrowtail=empty");
    }

    // ---- legend ----

    void legend(const std::vector<Sign>& signs) {
        text_ += "  subgraph cluster_legend {\n    label=\"Legend\"; fontsize=10; color=\"#999999\"; style=solid;\n";
        for (std::size_t i = 0; i < signs.size(); ++i) {
            text_ += fmt::format("    legend{} [label={}, {}];\n", i, dot_string(signs[i].words), signs[i].look);
            if (i > 0) text_ += fmt::format("    legend{} -> legend{} [style=invis];\n", i - 1, i);
        }
        text_ += "  }\n";
    }

    const Stories& stories_;
    const TaskStory& story_;
    std::string text_;
};

}  // namespace

std::string picture_dot(const Stories& stories, const TaskStory& story, Picture picture) {
    return Drawing(stories, story).run(picture);
}

std::size_t picture_size(const Stories& stories, const TaskStory& story, Picture picture) {
    if (picture == Picture::Tree) return stories.analysis().graphs.tree().from_the_top().size();
    const TaskGraph graph = graph_of(stories, story);
    if (picture == Picture::Coalesced) return graph.processes.size();
    std::size_t events = 0;
    for (const GraphProcess& process : graph.processes) events += process.count();
    return events;
}

}  // namespace tmon_stories
