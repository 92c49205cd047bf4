// Summary of a stored trace, finished or not, of any size: its content, its losses, and whether it is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tmon_streams/trace.hpp>
#include <trace_record/trace_file.hpp>

namespace tmon_streams {

struct NodeSummary {
    std::uint16_t node = 0;
    StreamState state = StreamState::Open;
    std::uint64_t records = 0, lost = 0;
    std::uint64_t first_us = 0, last_us = 0;  // clock of the node; both 0 without a record
};

struct TraceSummary {
    std::string file{}, manifest{}, status{};  // manifest: with the keys of the closing block
    trace_record::TraceEnd end = trace_record::TraceEnd::Incomplete;
    std::uint64_t end_byte = 0;  // end of the part that is whole
    std::uint64_t bytes = 0, blocks = 0, records = 0, left_out = 0;
    std::vector<std::uint64_t> of_kind{};  // records by EventKind; index 0: unknown kinds
    std::vector<NodeSummary> nodes{};
    std::vector<LossRange> losses{};
};

// The trace file for `name`: the file itself, or in a folder data.mwt, else trace.mwt, also with .incomplete. Throws
// vocabulary::InputError.
std::string trace_file(const std::string& name);
// Throws as TraceIndex, and for a manifest without the number of nodes. Cost: one pass over the file. Memory as TraceIndex,
// plus 32 bytes a range of lost records.
TraceSummary summarise(const std::string& file);
std::string loss_text(const LossRange& range);          // "n1:443-1999 (dropped, buffers full)"
std::string summary_text(const TraceSummary& summary);  // at most 128 columns
std::string summary_json(const TraceSummary& summary);  // {"schema": "magicwire.trace/1", ...}

}  // namespace tmon_streams
