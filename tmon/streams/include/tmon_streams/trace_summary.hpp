// Summary of a stored trace, finished or not, of any size: what it holds, what is missing, and whether it is whole.
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
    std::string file{}, manifest{}, status{};  // manifest: with what the closing block adds
    trace_record::TraceEnd end = trace_record::TraceEnd::Incomplete;
    std::uint64_t end_byte = 0;  // end of the part that is whole
    std::uint64_t bytes = 0, blocks = 0, records = 0, left_out = 0;
    std::vector<std::uint64_t> of_kind{};  // records by EventKind; 0: of kinds that are not known
    std::vector<NodeSummary> nodes{};
    std::vector<LossRange> losses{};
};

// The trace file that `name` means: a file, or data.mwt or data.mwt.incomplete in a folder. Throws vocabulary::InputError.
std::string trace_file(const std::string& name);
// Throws as TraceIndex, and for a manifest that does not say how many nodes there are. Cost: the file is read once. Memory as
// TraceIndex, and 32 bytes a range of lost records.
TraceSummary summarise(const std::string& file);
std::string loss_text(const LossRange& range);          // "n1:443-1999 (dropped, buffers full)"
std::string summary_text(const TraceSummary& summary);  // at most 128 columns
std::string summary_json(const TraceSummary& summary);  // {"schema": "magicwire.trace/1", ...}

}  // namespace tmon_streams
