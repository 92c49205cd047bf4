// The .config file: one line a fact, so that a person can read it and diff can compare it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <text/output_file.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/nearest_name.hpp>
#include "text_scanner.hpp"

namespace tmon_streams {

using trace_record::ClassSet;
using trace_record::EventClass;

namespace {

const std::vector<std::string> line_kinds = {"session", "nodes", "node", "loss", "other", "dropped", "marks", "results"};
const std::vector<std::string> mark_ways = {"other-ways"};
const std::vector<std::string> session_ends = {"unknown", "stood-still", "program-ended", "cut",
                                               "never-began"};      // order of SessionEnd
const std::vector<std::string> state_names = {"finished", "open"};  // order of StreamState
const std::vector<std::string> cause_names = [] {                   // order of LossCause
    std::vector<std::string> names;
    for (std::uint8_t cause = 0; cause < trace_record::loss_causes; ++cause)
        names.emplace_back(trace_record::loss_cause_name(static_cast<LossCause>(cause)));
    return names;
}();
using trace_record::most_time_us;

struct Seen {
    bool nodes = false;
    std::vector<bool> node;
};

std::size_t known_node(TextScanner& in, const ConfigFile& config) {
    const std::uint64_t node = in.number("node", most_number);
    if (node >= config.nodes.size()) {
        in.fail("node " + std::to_string(node) + " is not one of the " + std::to_string(config.nodes.size()) +
                " nodes; the line 'nodes COUNT' comes first and says how many there are");
    }
    return node;
}

void read_node_line(TextScanner& in, ConfigFile& config, Seen& seen) {
    const std::size_t node = known_node(in, config);
    if (seen.node[node]) in.fail("node " + std::to_string(node) + " is described twice; keep one of the lines");
    seen.node[node] = true;
    NodeConfig& of_node = config.nodes[node];
    of_node.state = static_cast<StreamState>(in.one_of("state", state_names));
    of_node.events = in.number("EVENTS", most_number);
    of_node.last_time_us = in.number("LAST_TIME", most_time_us);
}

// "task+message", or "all".
ClassSet read_classes(TextScanner& in) {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (std::uint8_t i = 0; i < trace_record::event_classes; ++i)
            all.emplace_back(trace_record::class_name(static_cast<EventClass>(i)));
        return all;
    }();
    const std::string text(in.word("classes"));
    if (text == "all") return ClassSet::all();
    ClassSet classes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('+', at), text.size());
        const std::string name = text.substr(at, end - at);
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            in.fail("unknown class '" + name + "'" + vocabulary::did_you_mean(name, names) +
                    "; write 'all' or classes with '+'");
        classes.add(static_cast<EventClass>(found - names.begin()));
        at = end + 1;
    }
    return classes;
}

void read_loss_line(TextScanner& in, ConfigFile& config) {
    const std::size_t node = known_node(in, config);
    LossRange range;
    range.node = static_cast<std::uint16_t>(node);
    range.first_seq = static_cast<std::uint32_t>(in.number("FIRST", most_number));
    range.last_seq = static_cast<std::uint32_t>(in.number("LAST", most_number - 1));
    if (range.last_seq < range.first_seq) in.fail("the loss ends before it begins; write the smaller number first");
    auto& losses = config.nodes[node].losses;
    if (!losses.empty() && losses.back().last_seq >= range.first_seq)
        in.fail("losses of a node come in ascending order and do not overlap");
    range.cause = static_cast<LossCause>(in.one_of("cause", cause_names));
    if (!in.at_end_of_line()) {
        range.classes = read_classes(in);
        range.from_us = in.number("FROM", most_time_us);
        range.until_us = in.number("UNTIL", most_time_us);
        if (range.until_us < range.from_us) in.fail("the loss is over before it begins; write the earlier time first");
    }
    losses.push_back(range);
}

void read_other_line(TextScanner& in, ConfigFile& config) {
    NodeConfig& of_node = config.nodes[known_node(in, config)];
    SeqRange range;
    range.first_seq = static_cast<std::uint32_t>(in.number("FIRST", most_number));
    range.last_seq = static_cast<std::uint32_t>(in.number("LAST", most_number - 1));
    if (range.last_seq < range.first_seq) in.fail("the range ends before it begins; write the smaller number first");
    if (!of_node.others.empty() && of_node.others.back().last_seq >= range.first_seq)
        in.fail("other records of a node come in ascending order and do not overlap");
    of_node.others.push_back(range);
}

void read_line(TextScanner& in, ConfigFile& config, Seen& seen) {
    switch (in.one_of("line", line_kinds)) {
        case 0:
            config.session = static_cast<SessionEnd>(in.one_of("session end", session_ends));
            break;
        case 1:
            if (seen.nodes) in.fail("'nodes' stands twice; keep one of the lines");
            seen.nodes = true;
            config.nodes.resize(in.number("COUNT", farm_spec::most_processors));
            seen.node.resize(config.nodes.size());
            break;
        case 2:
            read_node_line(in, config, seen);
            break;
        case 3:
            read_loss_line(in, config);
            break;
        case 4:
            read_other_line(in, config);
            break;
        case 6:
            in.one_of("ways of the end marks", mark_ways);
            config.marks_take_other_ways = true;
            break;
        case 5:
            config.dropped_messages = in.number("MESSAGES", most_number);
            break;
        default:
            config.reported_results = static_cast<std::uint32_t>(in.number("RESULTS", most_number));
            break;
    }
    in.end_of_line();
}

}  // namespace

ConfigFile read_config(const std::string& path) {
    const std::string text = text::read_text_file(path, "a .config file (hostmon makes one)");
    TextScanner in(path, text,
                   "session END | nodes COUNT | node N STATE EVENTS LAST_TIME | loss N FIRST LAST CAUSE [CLASSES FROM UNTIL] | "
                   "other N FIRST LAST | dropped MESSAGES | marks other-ways | results RESULTS");
    if (!in.next_line() || in.word("magicwire-config") != "magicwire-config" || in.number("version", most_number) != 1) {
        in.fail("a .config file begins with 'magicwire-config 1'; give the one that hostmon wrote");
    }
    in.end_of_line();
    ConfigFile config;
    Seen seen;
    while (in.next_line()) read_line(in, config, seen);
    const auto missing = std::find(seen.node.begin(), seen.node.end(), false);
    if (!seen.nodes || missing != seen.node.end()) {
        const std::string what =
            seen.nodes ? "no line describes node " + std::to_string(missing - seen.node.begin()) : "no line 'nodes COUNT'";
        in.fail(what + "; the file is not whole, write it again with hostmon");
    }
    return config;
}

void write_config(const std::string& path, const ConfigFile& config, text::Replace replace) {
    std::string text =
        fmt::format("magicwire-config 1\nsession {}\nnodes {}\n", session_end_name(config.session), config.nodes.size());
    if (config.dropped_messages > 0) text += fmt::format("dropped {}\n", config.dropped_messages);
    if (config.marks_take_other_ways) text += "marks other-ways\n";
    if (config.reported_results) text += fmt::format("results {}\n", *config.reported_results);
    for (std::size_t node = 0; node < config.nodes.size(); ++node) {
        const NodeConfig& of_node = config.nodes[node];
        text += fmt::format("node {} {} {} {}\n", node, stream_state_name(of_node.state), of_node.events, of_node.last_time_us);
        for (const LossRange& range : of_node.losses) {
            text += fmt::format("loss {} {} {} {}", node, range.first_seq, range.last_seq, loss_cause_name(range.cause));
            if (range.classes != ClassSet::all() || range.until_us > 0)
                text += fmt::format(" {} {} {}", classes_text(range.classes), range.from_us, range.until_us);
            text += '\n';
        }
        for (const SeqRange& range : of_node.others)
            text += fmt::format("other {} {} {}\n", node, range.first_seq, range.last_seq);
    }
    text::write_text_file(path, text, replace);
}

static std::vector<SeqRange> others_of(const Stream& stream) {
    std::vector<SeqRange> ranges;
    for (const auto part : stream.in_passing()) {
        for (const Event& event : part) {
            if (is_task_event(event)) continue;
            if (ranges.empty() || ranges.back().last_seq + 1 != event.seq) ranges.push_back({event.seq, event.seq});
            ranges.back().last_seq = event.seq;
        }
    }
    return ranges;
}

ConfigFile config_of(const Trace& trace) {
    ConfigFile config;
    config.session = trace.session;
    config.dropped_messages = trace.dropped_messages;
    config.marks_take_other_ways = trace.marks_take_other_ways;
    config.reported_results = trace.reported_results;
    for (const Stream& stream : trace.streams) {
        NodeConfig node{stream.state, stream.size(), 0, stream.losses, others_of(stream)};
        if (!stream.parts.empty()) node.last_time_us = stream.parts.back().back().time_us;
        config.nodes.push_back(std::move(node));
    }
    return config;
}

std::string_view stream_state_name(StreamState state) {
    return state_names[static_cast<std::size_t>(state)];
}

}  // namespace tmon_streams
