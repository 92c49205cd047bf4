#include <tmon_streams/trace_store.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <text/json_depth.hpp>
#include <vocabulary/source_position.hpp>
#include "stream_assembler.hpp"

namespace tmon_streams {

namespace {

constexpr std::size_t events_in_block = 1u << 12;

SessionEnd session_end_of(const std::string& name) {
    for (const SessionEnd how : {SessionEnd::StoodStill, SessionEnd::ProgramEnded, SessionEnd::Cut, SessionEnd::NeverBegan}) {
        if (name == session_end_name(how)) return how;
    }
    return SessionEnd::Unknown;
}

// A value that is no object when the text is no JSON that can be used.
template <class Json>
Json parsed(const std::string& content) {
    return text::nests_too_deep(content) ? Json() : Json::parse(content, nullptr, false);
}

std::vector<StreamAssembler> assemblers_of(const trace_record::TraceFileReader& reader, std::uint16_t nodes,
                                           std::uint64_t& foreign) {
    std::vector<StreamAssembler> result;
    for (std::uint16_t node = 0; node < nodes; ++node) result.emplace_back(node);
    for (const auto& block : reader.blocks()) {
        if (block.node < nodes) {
            result[block.node].add(block.first_seq, block.events, block.unloaded_us);
        } else {
            foreign += block.events.size();
        }
    }
    for (const LossRange& range : reader.losses()) {
        if (range.node < nodes) result[range.node].add_loss(range);
    }
    for (const auto& end : reader.stream_ends()) {
        if (end.node < nodes) result[end.node].set_end(end.total_records);
    }
    return result;
}

}  // namespace

const char* session_end_name(SessionEnd how) {
    switch (how) {
        case SessionEnd::StoodStill:
            return "stood-still";
        case SessionEnd::ProgramEnded:
            return "program-ended";
        case SessionEnd::Cut:
            return "cut";
        case SessionEnd::NeverBegan:
            return "never-began";
        case SessionEnd::GoesOn:
            return "goes-on";
        case SessionEnd::Unknown:
            break;
    }
    return "unknown";
}

Manifest read_manifest(const std::string& path, const std::string& text) {
    const auto json = parsed<nlohmann::json>(text);
    const bool usable = json.is_object() && json.contains("expected_nodes") && json["expected_nodes"].is_number_unsigned() &&
                        json["expected_nodes"].get<std::uint64_t>() >= 1 &&
                        json["expected_nodes"].get<std::uint64_t>() <= 65'535;
    if (!usable) {
        throw vocabulary::InputError({path, 0, 0},
                                     "its manifest does not say how many nodes were expected (key \"expected_nodes\", 1 to "
                                     "65535); record the run again");
    }
    Manifest manifest;
    manifest.expected_nodes = json["expected_nodes"].get<std::uint16_t>();
    if (json.contains("dropped_messages") && json["dropped_messages"].is_number_unsigned())
        manifest.dropped_messages = json["dropped_messages"].get<std::uint64_t>();
    if (json.contains("suspect_records") && json["suspect_records"].is_number_unsigned())
        manifest.suspect_records = json["suspect_records"].get<std::uint64_t>();
    if (json.contains("marks_take_other_ways") && json["marks_take_other_ways"].is_boolean())
        manifest.marks_take_other_ways = json["marks_take_other_ways"].get<bool>();
    if (json.contains("reported_results") && json["reported_results"].is_number_unsigned() &&
        json["reported_results"].get<std::uint64_t>() <= UINT32_MAX)
        manifest.reported_results = json["reported_results"].get<std::uint32_t>();
    if (json.contains("interrupt_master") && json["interrupt_master"].is_number_unsigned() &&
        json["interrupt_master"].get<std::uint64_t>() < manifest.expected_nodes)
        manifest.interrupt_master = json["interrupt_master"].get<std::uint16_t>();
    if (json.contains("session_end") && json["session_end"].is_string()) manifest.session = session_end_of(json["session_end"]);
    return manifest;
}

std::string whole_manifest(const std::string& manifest, const std::string& closing) {
    auto json = parsed<nlohmann::ordered_json>(manifest);
    const auto more = parsed<nlohmann::ordered_json>(closing);
    if (!json.is_object() || !more.is_object()) return manifest;
    json.update(more);
    return json.dump();
}

const char* why_not_whole(trace_record::TraceEnd end) {
    switch (end) {
        case trace_record::TraceEnd::Incomplete:
            return "its writer did not finish: later records are missing";
        case trace_record::TraceEnd::Damaged:
            return "the file is damaged: the rest cannot be read; copy it again from the original";
        case trace_record::TraceEnd::Complete:
            break;
    }
    return "";
}

StoredTrace load_trace(const std::string& path) {
    const auto reader = std::make_shared<const trace_record::TraceFileReader>(path);
    StoredTrace result;
    result.manifest = whole_manifest(reader->manifest(), reader->closing());
    const Manifest manifest = read_manifest(path, result.manifest);
    result.status = reader->status();
    result.end = reader->end();
    result.trace.session = reader->complete() ? manifest.session : SessionEnd::Cut;
    result.trace.dropped_messages = manifest.dropped_messages;
    result.trace.suspect_records = manifest.suspect_records;
    result.trace.marks_take_other_ways = manifest.marks_take_other_ways;
    if (reader->complete()) result.trace.reported_results = manifest.reported_results;
    result.trace.keep.push_back(reader);
    for (const StreamAssembler& assembler : assemblers_of(*reader, manifest.expected_nodes, result.trace.suspect_records)) {
        Assembled node = assembler.assemble();
        result.trace.suspect_records += node.conflicting;
        result.trace.streams.push_back(std::move(node.stream));
    }
    return result;
}

void store_trace(const Trace& trace, const std::string& path, const std::string& manifest,
                 trace_record::TraceFileOptions options, const std::string& closing) {
    trace_record::TraceFileWriter writer(path, manifest, options);
    for (const Stream& stream : trace.streams) {
        std::uint64_t total = 0;
        std::size_t number = 0;
        for (auto part : stream.in_passing()) {
            const std::uint64_t unloaded_us = stream.unloaded(number++);
            total = part.back().seq + 1ull;
            while (!part.empty()) {
                const auto block = part.first(std::min(events_in_block, part.size()));
                writer.events(stream.node, block.front().seq, block, unloaded_us);
                part = part.subspan(block.size());
            }
        }
        for (const LossRange& range : stream.losses) {
            writer.loss(range);
            total = std::max<std::uint64_t>(total, range.last_seq + 1ull);
        }
        if (stream.state == StreamState::Finished) writer.stream_end(stream.node, static_cast<std::uint32_t>(total));
    }
    if (!closing.empty()) writer.closing(closing);
    writer.close();
}

}  // namespace tmon_streams
