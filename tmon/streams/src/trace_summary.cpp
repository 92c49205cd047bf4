#include <tmon_streams/trace_summary.hpp>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include <trace_record/event_names.hpp>
#include <vocabulary/source_position.hpp>
#include "stream_walk.hpp"

namespace tmon_streams {

using trace_record::TraceEnd;

namespace {

constexpr std::size_t most_losses_shown = 20;
constexpr std::size_t kinds = trace_record::event_kinds;

const char* many(std::size_t kind) {
    return trace_record::kind_names(static_cast<EventKind>(kind)).many;
}

}  // namespace

std::string loss_text(const LossRange& range) {
    const char* cause = "cause unknown";
    if (range.cause == LossCause::BufferFull) cause = "dropped, buffers full";
    if (range.cause == LossCause::NodeDied) cause = "the node died";
    if (range.cause == LossCause::LinkLost) cause = "lost on the way";
    if (range.cause == LossCause::Damaged) cause = "damaged in transit";
    if (range.cause == LossCause::Overwritten) cause = "given up for newer ones, buffers full";
    if (range.cause == LossCause::Thinned) cause = "detail given up, buffers full";
    if (range.cause == LossCause::SwitchedOff) cause = "task events were switched off";
    return fmt::format("n{}:{}-{} ({})", range.node, range.first_seq, range.last_seq, cause);
}

std::string trace_file(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (!fs::exists(name, ignored) && fs::is_directory(name + ".incomplete", ignored))
        throw vocabulary::InputError({name, 0, 0}, "is not there: the run did not finish; give " + name + ".incomplete");
    if (!fs::is_directory(name, ignored)) return name;
    for (const char* file : {"data.mwt", "data.mwt.incomplete", "trace.mwt", "trace.mwt.incomplete"}) {
        const fs::path path = fs::path(name) / file;
        if (fs::exists(path, ignored)) return path.string();
    }
    throw vocabulary::InputError({name, 0, 0},
                                 "holds no trace (no data.mwt); give the folder of a run that was monitored, or a trace file");
}

TraceSummary summarise(const std::string& file) {
    TraceSummary summary{.file = file};
    summary.of_kind.resize(kinds);
    std::vector<NodeSummary> seen;
    const TraceIndex index(file, [&](const trace_record::BlockPlace& block, std::span<const Event> records) {
        if (seen.size() <= block.node) seen.resize(block.node + 1U);
        NodeSummary& node = seen[block.node];
        if (node.records == 0) node.first_us = records.front().time_us;
        node.first_us = std::min(node.first_us, records.front().time_us);
        node.last_us = std::max(node.last_us, records.back().time_us);
        node.records += records.size();
        for (const Event& event : records) ++summary.of_kind[trace_record::kind_number(event.kind)];
    });
    const trace_record::TraceScan& scan = index.scan();
    summary.manifest = whole_manifest(scan.manifest(), scan.closing());
    const std::uint16_t nodes = read_manifest(file, summary.manifest).expected_nodes;
    seen.resize(nodes);
    summary.status = scan.status();
    summary.end = scan.end();
    summary.end_byte = scan.end_byte();
    summary.bytes = scan.bytes();
    summary.blocks = scan.whole_blocks();
    summary.records = scan.records();
    summary.left_out = index.records_from(nodes);
    for (std::uint16_t i = 0; i < nodes; ++i) {
        StreamWalk walk(index, i);
        const std::size_t before = summary.losses.size();
        while (walk.next(summary.losses)) continue;
        seen[i].node = i;
        seen[i].state = walk.finished() ? StreamState::Finished : StreamState::Open;
        for (std::size_t loss = before; loss < summary.losses.size(); ++loss)
            seen[i].lost += summary.losses[loss].last_seq - summary.losses[loss].first_seq + 1ULL;
        summary.left_out += walk.left_out();
    }
    summary.nodes = std::move(seen);
    return summary;
}

std::string summary_text(const TraceSummary& summary) {
    std::string text = fmt::format("{}: {}\n", summary.file, summary.status);
    if (summary.end != TraceEnd::Complete)
        text += fmt::format("  {}; nothing concluded from it is certain\n", why_not_whole(summary.end));
    text += fmt::format("  {} records in {} blocks, {} bytes", summary.records, summary.blocks, summary.bytes);
    std::string how = ":";
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (summary.of_kind[kind] == 0) continue;
        text += fmt::format("{} {} {}", how, summary.of_kind[kind], many(kind));
        how = ",";
    }
    if (summary.left_out > 0)
        text += fmt::format("\n  {} records came twice or have no place in their stream", summary.left_out);
    text += "\n\nManifest\n";
    const auto manifest = nlohmann::ordered_json::parse(summary.manifest, nullptr, false);
    for (const auto& [key, value] : manifest.items())
        text += fmt::format("  {:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    text += "\nNODE STATE       RECORDS       LOST     FIRST us      LAST us\n";
    for (const NodeSummary& node : summary.nodes)
        text += fmt::format("{:<4} {:<8} {:>10} {:>10} {:>12} {:>12}\n", node.node, stream_state_name(node.state), node.records,
                            node.lost, node.first_us, node.last_us);
    if (!summary.losses.empty()) text += "\nLost\n";
    for (std::size_t i = 0; i < std::min(summary.losses.size(), most_losses_shown); ++i)
        text += "  " + loss_text(summary.losses[i]) + "\n";
    if (summary.losses.size() > most_losses_shown)
        text += fmt::format("  and {} more ranges; --json has all\n", summary.losses.size() - most_losses_shown);
    return text;
}

std::string summary_json(const TraceSummary& summary) {
    nlohmann::ordered_json json = {{"schema", "magicwire.trace/1"},
                                   {"file", summary.file},
                                   {"status", summary.status},
                                   {"complete", summary.end == TraceEnd::Complete},
                                   {"damaged", summary.end == TraceEnd::Damaged},
                                   {"end_byte", summary.end_byte},
                                   {"bytes", summary.bytes},
                                   {"blocks", summary.blocks},
                                   {"records", summary.records},
                                   {"left_out", summary.left_out}};
    json["kinds"] = nlohmann::ordered_json::object();
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (summary.of_kind[kind] > 0) json["kinds"][many(kind)] = summary.of_kind[kind];
    }
    json["manifest"] = nlohmann::ordered_json::parse(summary.manifest, nullptr, false);
    json["nodes"] = nlohmann::ordered_json::array();
    for (const NodeSummary& node : summary.nodes)
        json["nodes"].push_back({{"node", node.node},
                                 {"state", stream_state_name(node.state)},
                                 {"records", node.records},
                                 {"lost", node.lost},
                                 {"first_us", node.first_us},
                                 {"last_us", node.last_us}});
    json["losses"] = nlohmann::ordered_json::array();
    for (const LossRange& loss : summary.losses)
        json["losses"].push_back({{"node", loss.node},
                                  {"first", loss.first_seq},
                                  {"last", loss.last_seq},
                                  {"cause", std::string(loss_cause_name(loss.cause))}});
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tmon_streams
