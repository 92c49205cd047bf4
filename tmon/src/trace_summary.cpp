#include "tmon/trace_summary.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tmon/thesis_files.hpp"
#include "tmon/trace_merge.hpp"
#include "tmon/trace_store.hpp"
#include "trace_record/trace_scan.hpp"
#include "verdict_text.hpp"
#include "vocabulary/source_position.hpp"

namespace tmon {

namespace {

constexpr std::size_t kinds = 11;
constexpr const char* kind_names[kinds] = {
    "of unknown kinds", "sends",      "receives",    "message sends", "message receives", "receive calls", "process starts",
    "process ends",     "node usage", "synchronise", "user"};
constexpr std::size_t most_losses_shown = 20;

}  // namespace

std::string trace_file(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (!fs::exists(name, ignored) && fs::is_directory(name + ".incomplete", ignored))
        throw vocabulary::InputError({name, 0, 0}, "is not there: the run did not finish; give " + name + ".incomplete");
    if (!fs::is_directory(name, ignored)) return name;
    for (const char* file : {"data.mwt", "data.mwt.incomplete"}) {
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
    const trace_record::TraceScan scan(file, [&](const trace_record::BlockPlace& block, std::span<const Event> records) {
        if (seen.size() <= block.node) seen.resize(block.node + 1U);
        NodeSummary& node = seen[block.node];
        if (node.records == 0) node.first_us = records.front().time_us;
        node.first_us = std::min(node.first_us, records.front().time_us);
        node.last_us = std::max(node.last_us, records.back().time_us);
        node.records += records.size();
        for (const Event& event : records) {
            const auto kind = static_cast<std::size_t>(event.kind);
            ++summary.of_kind[kind < kinds ? kind : 0];
        }
        return true;
    });
    summary.manifest = whole_manifest(scan.manifest(), scan.closing());
    const std::uint16_t nodes = read_manifest(file, summary.manifest).expected_nodes;
    seen.resize(nodes);
    summary.status = scan.status();
    summary.complete = scan.complete();
    summary.bytes = scan.bytes();
    summary.blocks = scan.whole_blocks();
    summary.records = scan.records();
    const TraceMerge merge(scan, nodes);
    summary.losses = merge.losses();
    summary.left_out = merge.left_out();
    for (std::uint16_t i = 0; i < nodes; ++i) seen[i].node = i;
    for (const LossRange& loss : summary.losses) seen[loss.node].lost += loss.last_seq - loss.first_seq + 1ULL;
    for (const auto& end : scan.stream_ends()) {
        if (end.node < nodes) seen[end.node].state = StreamState::Finished;
    }
    summary.nodes = std::move(seen);
    return summary;
}

std::string summary_text(const TraceSummary& summary) {
    std::string text = fmt::format("{}: {}\n", summary.file, summary.status);
    if (!summary.complete) text += "  " + why_not_whole(summary.status) + "; nothing concluded from it is certain\n";
    text += fmt::format("  {} records in {} blocks, {} bytes", summary.records, summary.blocks, summary.bytes);
    std::string how = ":";
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (summary.of_kind[kind] == 0) continue;
        text += fmt::format("{} {} {}", how, summary.of_kind[kind], kind_names[kind]);
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
    nlohmann::ordered_json json = {{"schema", "magicwire.trace/1"}, {"file", summary.file},        {"status", summary.status},
                                   {"complete", summary.complete},  {"bytes", summary.bytes},      {"blocks", summary.blocks},
                                   {"records", summary.records},    {"left_out", summary.left_out}};
    json["kinds"] = nlohmann::ordered_json::object();
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (summary.of_kind[kind] > 0) json["kinds"][kind_names[kind]] = summary.of_kind[kind];
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

}  // namespace tmon
