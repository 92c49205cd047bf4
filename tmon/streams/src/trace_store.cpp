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
    std::uint64_t came = 0;
    for (const auto& block : reader.blocks()) {
        if (block.node < nodes) {
            result[block.node].add(block.first_seq, block.events, block.unloaded_us, ++came);
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

namespace {

// One stream on its way into a file.
class StreamWriter {
public:
    StreamWriter(const Stream& stream, trace_record::TraceFileWriter& writer) : stream_(stream), writer_(writer) {}

    // A loss before a part is known when the part has come.
    void part(std::span<const Event> part, std::uint64_t unloaded_us) {
        while (loss_ < stream_.losses.size() && stream_.losses[loss_].last_seq < part.front().seq) lost();
        total_ = part.back().seq + 1ull;
        while (!part.empty()) {
            const auto block = part.first(std::min(events_in_block, part.size()));
            writer_.events(stream_.node, block.front().seq, block, unloaded_us);
            part = part.subspan(block.size());
        }
    }
    void end() {
        while (loss_ < stream_.losses.size()) lost();
        if (stream_.state == StreamState::Finished) writer_.stream_end(stream_.node, static_cast<std::uint32_t>(total_));
    }

private:
    void lost() {
        const LossRange& range = stream_.losses[loss_++];
        writer_.loss(range);
        total_ = std::max<std::uint64_t>(total_, range.last_seq + 1ull);
    }
    const Stream& stream_;
    trace_record::TraceFileWriter& writer_;
    std::size_t loss_ = 0;
    std::uint64_t total_ = 0;
};

void write_by_node(const Trace& trace, std::vector<StreamWriter>& writers) {
    for (std::size_t node = 0; node < writers.size(); ++node) {
        std::size_t number = 0;
        for (const auto part : trace.streams[node].in_passing())
            writers[node].part(part, trace.streams[node].unloaded(number++));
        writers[node].end();
    }
}

// As the host got them; of one node in the order of the numbers.
void write_by_arrival(const Trace& trace, std::vector<StreamWriter>& writers) {
    struct Arrival {
        std::uint64_t came;
        std::size_t node, part;
    };
    std::vector<Arrival> arrivals;
    for (std::size_t node = 0; node < writers.size(); ++node) {
        std::uint64_t came = 0;
        for (std::size_t part = 0; part < trace.streams[node].parts.size(); ++part) {
            came = std::max(came, trace.streams[node].came[part]);
            arrivals.push_back({came, node, part});
        }
    }
    std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) { return a.came < b.came; });
    for (const Arrival& arrival : arrivals) {
        const Stream& stream = trace.streams[arrival.node];
        writers[arrival.node].part(stream.parts[arrival.part], stream.unloaded(arrival.part));
    }
    for (StreamWriter& writer : writers) writer.end();
}

}  // namespace

void store_trace(const Trace& trace, const std::string& path, const std::string& manifest,
                 trace_record::TraceFileOptions options, const std::string& closing) {
    trace_record::TraceFileWriter writer(path, manifest, options);
    std::vector<StreamWriter> writers;
    writers.reserve(trace.streams.size());
    bool known = true;
    for (const Stream& stream : trace.streams) {
        writers.emplace_back(stream, writer);
        known = known && stream.came.size() == stream.parts.size();
    }
    known ? write_by_arrival(trace, writers) : write_by_node(trace, writers);
    if (!closing.empty()) writer.closing(closing);
    writer.close();
}

}  // namespace tmon_streams
