#include "story_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <farm_spec/farm_tree.hpp>

namespace tmon_stories {

std::string what_text(const Stories& stories, std::uint32_t task, SubTaskId subtask, std::uint16_t node) {
    const bool bundle = stories.spec().granularity > 1;
    const std::string whole = fmt::format("{} {}", bundle ? "tasks" : "task", stories.spec().task_text(task));
    const bool is_whole = subtask == 0 && stories.analysis().graphs.tree().parent(node).value_or(0) == 0;
    if (is_whole || !stories.spec().divides()) return whole;
    return fmt::format("part {} of {}", tmon_detrek::subtask_text(subtask, stories.spec()), whole);
}

static std::string on_node_text(const Place& place, StopKind kind, const farm_spec::FarmSpec& spec,
                                const farm_spec::FarmTree& tree) {
    switch (kind) {
        case StopKind::JoinReady:
            return fmt::format("on n{}, where all its parts are back: join_fn(), or before or behind it", place.node);
        case StopKind::JoinWaiting:
            return fmt::format("split on n{}", place.node);
        case StopKind::ForwardPending:
            return fmt::format("on n{}, where its result is back from below", place.node);
        case StopKind::BranchNotSent:
            return fmt::format("on n{}, not sent to a node below", place.node);
        case StopKind::NotSentAgain:
            return fmt::format("on n{} again, and not sent to another node", place.node);
        default:
            break;
    }
    const bool splits = spec.divides() && tree.may_pass_down(place.node);
    return fmt::format("on n{}: {}, or before or behind it", place.node, splits ? "split_fn() or comp_fn()" : "comp_fn()");
}

std::string place_text(const Stories& stories, const Place& place, StopKind kind) {
    const farm_spec::FarmTree& tree = stories.analysis().graphs.tree();
    std::string text;
    switch (place.where) {
        case Where::NotSent:
            text = place.certainty == Certainty::Certain ? "on n0, which has not sent it"
                                                         : "without any record: n0 may not have sent it";
            break;
        case Where::OnTheWay:
            text = fmt::format("{}on the way from n{} to n{}", kind == StopKind::ResultNotTaken ? "as a result " : "",
                               place.from, place.node);
            break;
        case Where::AtOrBelow: {
            const std::uint16_t above = tree.parent(place.node).value_or(0);
            text = tree.may_pass_down(place.node)
                       ? fmt::format("on n{}, on its link to n{}, or below n{}", place.node, above, place.node)
                       : fmt::format("on n{}, or on its link to n{}", place.node, above);
            break;
        }
        case Where::OnOrBehind: {
            std::vector<std::string> children;
            for (const std::uint16_t node : place.silent)
                if (tree.parent(node) == place.node) children.push_back(fmt::format("n{}", node));
            return fmt::format("on n{}, or on its way to {}, which fell silent, or there", place.node,
                               joined(children, " or "));
        }
        case Where::On:
            text = on_node_text(place, kind, stories.spec(), tree);
            break;
    }
    if (!place.silent.empty()) {
        std::vector<std::string> nodes;
        for (const std::uint16_t node : place.silent) nodes.push_back(fmt::format("n{}", node));
        text += fmt::format(" ({} fell silent)", joined(nodes, ", "));
    }
    return text;
}

std::string records_text(const std::vector<RecordId>& records) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, records.size()); ++i) text += (i > 0 ? " " : "") + record_text(records[i]);
    if (records.size() > most) text += fmt::format(" and {} more", records.size() - most);
    return text;
}

std::string folded(std::string_view text, std::size_t indent) {
    constexpr std::size_t width = 128;
    const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
    std::string out(start, ' ');
    std::size_t column = start;
    bool first = true;
    for (std::size_t at = start; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (column > indent && column + 1 + word.size() > width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!first) {
            out += ' ';
            ++column;
        }
        first = false;
        out += word;
        column += word.size();
        at = end + 1;
    }
    return out + "\n";
}

std::string joined(const std::vector<std::string>& list, const char* between) {
    return fmt::format("{}", fmt::join(list, between));
}

}  // namespace tmon_stories
