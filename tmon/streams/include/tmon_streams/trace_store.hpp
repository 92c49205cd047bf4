// Trace file <-> Trace. Reading does not copy raw blocks: the spans point into the mapped file, which the Trace keeps open.
#pragma once

#include <optional>
#include <string>

#include <tmon_streams/trace.hpp>
#include <trace_record/trace_file.hpp>

namespace tmon_streams {

// The manifest with the keys of the closing block, which the writer adds when it ends; JSON text.
std::string whole_manifest(const std::string& manifest, const std::string& closing);

// The keys of a trace file's manifest (JSON) that the analyses use; every other key is for people.
struct Manifest {
    std::uint16_t expected_nodes = 0;               // key "expected_nodes": a number
    SessionEnd session = SessionEnd::Unknown;       // key "session_end": see session_end_name()
    std::uint64_t dropped_messages = 0;             // key "dropped_messages", may be missing: see Trace
    std::uint64_t suspect_records = 0;              // key "suspect_records", may be missing: records that are not in the file
    bool marks_take_other_ways = false;             // key "marks_take_other_ways", may be missing: see Trace
    std::optional<std::uint32_t> reported_results;  // key "reported_results", may be missing: see Trace
    // Key "interrupt_master", may be missing. That node's clock is the best common one, since the node raises the interrupt
    // itself.
    std::optional<std::uint16_t> interrupt_master;
};

// Throws vocabulary::InputError, with `path` in front, when the text does not say how many nodes were expected.
Manifest read_manifest(const std::string& path, const std::string& text);
const char* session_end_name(SessionEnd how);

// Explains the end to people: "its writer did not finish: ..."; empty for a complete file.
const char* why_not_whole(trace_record::TraceEnd end);

struct StoredTrace {
    Trace trace;
    std::string manifest;  // with the keys of the closing block
    std::string status;    // of the file: see TraceFileReader
    trace_record::TraceEnd end = trace_record::TraceEnd::Incomplete;
};

// Throws vocabulary::InputError when the file is no trace or its manifest lacks "expected_nodes". An incomplete or damaged
// file gives its content up to that place, and a session that was Cut. Cost: one pass to check the file, about 5 GB/s.
StoredTrace load_trace(const std::string& path);

// Writes the manifest, every part, loss and end of the trace, and the closing block if one is given. Parts stand as they came
// to the host (Stream::came), else node after node. Throws vocabulary::InputError when the file cannot be written.
void store_trace(const Trace& trace, const std::string& path, const std::string& manifest,
                 trace_record::TraceFileOptions options = {}, const std::string& closing = {});

}  // namespace tmon_streams
