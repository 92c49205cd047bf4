// Trace file <-> Trace. Reading does not copy raw blocks: the spans point into the mapped file, which the Trace keeps open.
#pragma once

#include <string>

#include "tmon/trace.hpp"
#include "trace_record/trace_file.hpp"

namespace tmon {

// What the manifest (JSON) of a trace file may say to the analyses; every other key is for people.
struct Manifest {
    std::uint16_t expected_nodes = 0;          // key "expected_nodes": a number
    SessionEnd session = SessionEnd::Unknown;  // key "session_end": see session_end_name()
    std::uint64_t dropped_messages = 0;        // key "dropped_messages", may be missing: see Trace
    std::uint64_t suspect_records = 0;         // key "suspect_records", may be missing: those that are not in the file
};

const char* session_end_name(SessionEnd how);

struct StoredTrace {
    Trace trace;
    std::string manifest;
    std::string status;  // "complete" or "incomplete after block K"
};

// Throws vocabulary::InputError: no trace file, or a manifest without "expected_nodes". An incomplete file gives what it holds,
// and a session that was Cut. Cost: the file is read once to check it, about 5 GB/s.
StoredTrace load_trace(const std::string& path);

// Writes every part, loss and end of the trace behind the given manifest. Throws vocabulary::InputError when the host refuses.
void store_trace(const Trace& trace, const std::string& path, const std::string& manifest,
                 trace_record::TraceFileOptions options = {});

}  // namespace tmon
