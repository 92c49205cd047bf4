#include <tmon_flowback/explanation.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "explainer.hpp"

namespace tmon_flowback {
namespace {

Answer answered(RecordedRun& run, Node root, std::uint64_t execution, std::uint64_t before) {
    Answer answer;
    answer.root = std::move(root);
    answer.execution = execution;
    answer.emulated = run.emulated_statements() - before;
    answer.differences = run.differences();
    answer.damaged = run.damage();
    return answer;
}

Certainty worst_of(const Node& node) {
    Certainty worst = node.certainty;
    for (const Node& child : node.children) worst = std::max(worst, worst_of(child));
    return worst;
}

void put_lines(const Node& node, const std::string& indent, std::string& text) {
    std::string line = indent + (node.role.empty() ? "" : node.role + ": ") + node.title;
    if (!node.place.empty()) line += fmt::format("   {}  {}", node.place, node.text);
    if (!node.id.empty()) line += fmt::format("   [{}]", node.id);
    text += line + "\n";
    for (const std::string& note : node.notes) text += indent + "  " + note + "\n";
    for (const Node& child : node.children) put_lines(child, indent + "  ", text);
}

nlohmann::ordered_json json_of(const Node& node) {
    nlohmann::ordered_json json = {{"id", node.id},       {"role", node.role}, {"title", node.title},
                                   {"place", node.place}, {"text", node.text}, {"certainty", name_of(node.certainty)},
                                   {"notes", node.notes}};
    json["children"] = nlohmann::ordered_json::array();
    for (const Node& child : node.children) json["children"].push_back(json_of(child));
    return json;
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return result;
}

void put_dot(const Node& node, std::size_t parent, std::size_t& next, std::string& text) {
    const std::size_t own = next++;
    const bool unknown = node.certainty == Certainty::Unknown;
    text += fmt::format("  e{} [label=\"{}\\n{} {}\"{}];\n", own, escaped(node.title), escaped(node.place), escaped(node.text),
                        unknown                               ? ", shape=diamond"
                        : node.certainty == Certainty::Likely ? ", style=dashed"
                                                              : "");
    if (parent != own) text += fmt::format("  e{} -> e{} [label=\"{}\"];\n", own, parent, escaped(node.role));
    for (const Node& child : node.children) put_dot(child, own, next, text);
}

}  // namespace

Answer why(RecordedRun& run, const Question& question, unsigned depth) {
    const std::uint64_t before = run.emulated_statements();
    const Execution execution = find_execution(run, question);
    const Meant meant = meaning_of(run, question.expression, execution.at);
    Node root = Explainer(run).of_place(execution.at, meant, std::nullopt, depth);
    if (!execution.doubt.empty()) {
        weaken(root, Certainty::Likely);
        root.notes.push_back("not certain which execution it is: " + execution.doubt);
    }
    if (execution.at.event >= run.emulation(execution.at.process, execution.at.interval).proved()) {
        weaken(root, Certainty::Likely);
        root.notes.emplace_back("not certain: the log ends before this line, so the process need not have come there");
    }
    return answered(run, std::move(root), execution.number, before);
}

Answer why(RecordedRun& run, const EventId& event, unsigned depth) {
    const std::uint64_t before = run.emulated_statements();
    return answered(run, Explainer(run).of_event(event, depth), 0, before);
}

std::string text_of(const Answer& answer) {
    std::string text;
    put_lines(answer.root, "", text);
    const Certainty below = worst_of(answer.root);
    const std::string further = below == answer.root.certainty ? "" : fmt::format("; further down, {}", name_of(below));
    text += fmt::format("\n{}{}. {} statements were run again.\n", name_of(answer.root.certainty), further, answer.emulated);
    for (const std::string& each : answer.damaged) text += "Not whole: " + each + "\n";
    for (const std::string& each : answer.differences)
        text += "The log and its emulation differ (a race, or a call whose effects are not known): " + each + "\n";
    return text;
}

nlohmann::ordered_json json_of(const Answer& answer) {
    return {{"schema", "magicwire.flowback/1"}, {"certainty", name_of(answer.root.certainty)},
            {"execution", answer.execution},    {"emulated_statements", answer.emulated},
            {"damaged", answer.damaged},        {"differences", answer.differences},
            {"answer", json_of(answer.root)}};
}

std::string dot_of(const Answer& answer) {
    std::string text = "digraph flowback {\n  node [shape=box];\n";
    std::size_t next = 0;
    put_dot(answer.root, 0, next, text);
    return text + "}\n";
}

}  // namespace tmon_flowback
