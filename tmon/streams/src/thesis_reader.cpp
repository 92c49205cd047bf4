// Readers of .tvm, .all and .bug.
#include <algorithm>

#include <text/output_file.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <vocabulary/source_position.hpp>
#include "event_types.hpp"
#include "stolen_tasks.hpp"
#include "text_scanner.hpp"

namespace tmon_streams {

namespace {

const std::vector<std::string> directions = {"task", "result"}, no_direction = {"-"};
constexpr std::uint64_t most_node = 0xFFFF;
using trace_record::most_time_us;

[[noreturn]] void fail(const std::string& path, const std::string& message) {
    throw vocabulary::InputError({path, 0, 0}, message);
}

EventKind read_kind(TextScanner& in, const std::vector<std::string>& types) {
    return static_cast<EventKind>(in.one_of("Type", types) + 1);
}

std::uint16_t read_node(TextScanner& in, std::string_view name, std::size_t nodes, const char* source) {
    const std::uint64_t node = in.number(name, most_number);
    if (node >= nodes) {
        in.fail(std::string(name) + " " + std::to_string(node) + " is not a node: " + source + " gives " +
                std::to_string(nodes) + " nodes, 0 to " + std::to_string(nodes - 1));
    }
    return static_cast<std::uint16_t>(node);
}

using Records = std::vector<std::vector<Event>>;

// Direction of an event: results go to the parent. A peer that is no neighbour is left to the validation.
class Directions {
public:
    explicit Directions(const farm_spec::FarmSpec& spec) {
        for (std::uint32_t node = 0; node < spec.nodes; ++node) {
            parents_.push_back(
                spec.parent(vocabulary::NodeId(static_cast<std::uint16_t>(node))).value_or(vocabulary::NodeId(none)).value());
        }
    }
    bool is_result(const Event& event) const {
        const std::uint16_t lower = event.kind == EventKind::Send ? event.node : event.peer;
        const std::uint16_t upper = event.kind == EventKind::Send ? event.peer : event.node;
        return parents_[lower] == upper;
    }

private:
    static constexpr std::uint16_t none = 0xFFFF;
    std::vector<std::uint16_t> parents_;
};

// Several machines write a node's lines in the order of arrival; the node's clock gives the order back (thesis, section 5.4.2).
void sort_by_time(std::vector<Event>& events) {
    const auto earlier = [](const Event& a, const Event& b) { return a.time_us < b.time_us; };
    if (!std::is_sorted(events.begin(), events.end(), earlier)) std::stable_sort(events.begin(), events.end(), earlier);
}

enum class Holds : bool { TaskEvents, EveryEvent };

// The numbers that no record of the file has.
std::vector<SeqRange> numbers_left_out(const NodeConfig& config, Holds what) {
    std::vector<SeqRange> ranges;
    if (what == Holds::TaskEvents) ranges = config.others;
    for (const LossRange& loss : config.losses) ranges.push_back({loss.first_seq, loss.last_seq});
    std::sort(ranges.begin(), ranges.end(), [](const SeqRange& a, const SeqRange& b) { return a.first_seq < b.first_seq; });
    return ranges;
}

// Gives a node's records their sequence numbers, and cuts them into parts without gaps.
Stream number_records(std::uint16_t node, std::vector<Event>& events, const NodeConfig& config, Holds what) {
    const std::vector<SeqRange> left_out = numbers_left_out(config, what);
    Stream stream;
    stream.node = node;
    stream.state = config.state;
    stream.losses = config.losses;
    auto gap = left_out.begin();
    std::uint32_t seq = 0;
    std::size_t part = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        while (gap != left_out.end() && gap->first_seq == seq) {
            if (i > part) stream.parts.push_back(std::span(events).subspan(part, i - part));
            part = i;
            seq = gap->last_seq + 1;
            ++gap;
        }
        events[i].seq = seq++;
    }
    if (events.size() > part) stream.parts.push_back(std::span(events).subspan(part));
    return stream;
}

std::uint64_t lines_of(const NodeConfig& config, Holds what) {
    std::uint64_t others = 0;
    for (const SeqRange& range : config.others) others += range.last_seq - range.first_seq + std::uint64_t{1};
    return what == Holds::EveryEvent ? config.events : config.events - std::min(others, config.events);
}

Trace trace_of(const std::string& path, Records records, const std::optional<ConfigFile>& config, Holds what) {
    Trace trace;
    trace.losses_known = config.has_value();
    if (config) trace.session = config->session;
    if (config) trace.dropped_messages = config->dropped_messages;
    if (config) trace.marks_take_other_ways = config->marks_take_other_ways;
    if (config) trace.reported_results = config->reported_results;
    const auto kept = std::make_shared<Records>(std::move(records));
    trace.keep.push_back(kept);
    for (std::size_t node = 0; node < kept->size(); ++node) {
        const NodeConfig of_node = config ? config->nodes[node] : NodeConfig{};
        const std::uint64_t lines = lines_of(of_node, what);
        if (config && lines != (*kept)[node].size()) {
            fail(path, "node " + std::to_string(node) + " has " + std::to_string((*kept)[node].size()) +
                           " events but the .config says " + std::to_string(lines) +
                           "; run tvmfilter again, or leave the .config away and be less certain");
        }
        trace.streams.push_back(number_records(static_cast<std::uint16_t>(node), (*kept)[node], of_node, what));
    }
    return trace;
}

void check_config(const std::string& path, const ConfigFile& config, std::size_t nodes) {
    if (config.nodes.size() == nodes) return;
    fail(path, "the .config describes " + std::to_string(config.nodes.size()) + " nodes, the .spf " + std::to_string(nodes) +
                   "; the files of one session belong together");
}

}  // namespace

Trace read_tvm(const std::string& path, const farm_spec::FarmSpec& spec, const std::optional<ConfigFile>& config) {
    if (config) check_config(path, *config, spec.nodes);
    const std::string text = text::read_text_file(path, "a .tvm file (tvmfilter makes one)");
    TextScanner in(path, text, "Ptime Sid Type Did MainTid SubTid");
    const Directions tree(spec);
    Records records(spec.nodes);
    while (in.next_line()) {
        Event event;
        event.time_us = in.number("Ptime", most_time_us);
        event.node = read_node(in, "Sid", spec.nodes, "the .spf");
        event.kind = read_kind(in, task_event_types);
        event.peer = read_node(in, "Did", spec.nodes, "the .spf");
        event.task = static_cast<std::uint32_t>(in.number("MainTid", most_number));
        event.subtask = in.hexadecimal("SubTid");
        in.end_of_line();
        event.is_result = tree.is_result(event) ? 1 : 0;
        records[event.node].push_back(event);
    }
    for (auto& of_node : records) sort_by_time(of_node);
    const bool steals = spec.policy == farm_spec::Policy::WorkStealing;
    if (steals) guess_stolen(records, spec);
    Trace trace = trace_of(path, std::move(records), config, Holds::TaskEvents);
    trace.directions_guessed = steals;
    return trace;
}

Trace read_all(const std::string& path, const ConfigFile& config) {
    const std::string text = text::read_text_file(path, "a .all file (hostmon makes one)");
    TextScanner in(path, text, "Seq Ptime Sid Type Did MainTid SubTid Kind Bytes");
    Records records(config.nodes.size());
    while (in.next_line()) {
        Event event;
        const std::uint64_t seq = in.number("Seq", most_number);
        event.seq = static_cast<std::uint32_t>(seq);
        event.time_us = in.number("Ptime", most_time_us);
        event.node = read_node(in, "Sid", config.nodes.size(), "the .config");
        event.kind = read_kind(in, event_types);
        const bool of_task = is_task_event(event);  // in others Did may be the host, a process or nothing
        event.peer = of_task ? read_node(in, "Did", config.nodes.size(), "the .config")
                             : static_cast<std::uint16_t>(in.number("Did", most_node));
        event.task = static_cast<std::uint32_t>(in.number("MainTid", most_number));
        event.subtask = in.hexadecimal("SubTid");
        event.is_result = in.one_of("Kind", of_task ? directions : no_direction) == 1 ? 1 : 0;
        event.bytes = static_cast<std::uint32_t>(in.number("Bytes", most_number));
        in.end_of_line();
        auto& of_node = records[event.node];
        if (!of_node.empty() && of_node.back().seq >= event.seq) {
            in.fail("Seq " + std::to_string(seq) + " of node " + std::to_string(event.node) + " does not follow " +
                    std::to_string(of_node.back().seq) + "; the records of a node are written in their order");
        }
        of_node.push_back(event);
    }
    const Records before = records;
    Trace trace = trace_of(path, std::move(records), config, Holds::EveryEvent);
    for (const Stream& stream : trace.streams) {  // the numbers in the file and those around the losses must be the same
        std::size_t i = 0;
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                const std::uint32_t written = before[stream.node][i++].seq;
                if (written == event.seq) continue;
                fail(path, "record " + std::to_string(written) + " of node " + std::to_string(stream.node) +
                               " stands where the .config has " + std::to_string(event.seq) +
                               "; the files of one session belong together");
            }
        }
    }
    return trace;
}

std::vector<BugLine> read_bug(const std::string& path) {
    const std::string text = text::read_text_file(path, "a .bug file (detrek -o makes one)");
    TextScanner in(path, text, "Error TaskNo ProcNo Process");
    std::vector<BugLine> lines;
    while (in.next_line()) {
        BugLine line;
        line.error = std::string(in.word("Error"));
        line.task = static_cast<std::uint32_t>(in.number("TaskNo", most_number));
        line.node = static_cast<std::uint16_t>(in.number("ProcNo", farm_spec::most_processors));
        line.process = std::string(in.word("Process"));
        in.end_of_line();
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace tmon_streams
