// A stored trace for other programs: Perfetto, SQLite, CSV, PICL, VCD and CTF (docs/guide/traces.md). The trace is read block
// by block, so its size does not matter. Every format says what was lost, and whether the trace is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tmon_clocks/common_clock.hpp>

namespace tmon_export {

enum class Format : std::uint8_t { Perfetto, Sqlite, Csv, Picl, PiclOld, Vcd, Ctf };

// Names of the formats in the order of the enumeration: "perfetto", "sqlite", "csv", "picl", "picl-old", "vcd", "ctf".
const std::vector<std::string>& format_names();
// Throws vocabulary::InputError with the nearest name.
Format format_of(const std::string& name);
// True for a text format, which may go to standard output.
bool is_text(Format format);

using tmon_clocks::NamedClock;

struct ExportOptions {
    std::string trace{};  // file, finished or not
    std::string out{};    // file, of CTF a folder; "-": standard output, text formats only
    // Makes the main clock, which the export is sorted by, for `nodes` nodes. Without it, global interrupts tie the nodes'
    // clocks to one of them.
    std::function<NamedClock(std::uint16_t nodes)> clock{};
    // Further files, each with its description ("the oracle"). The export refuses to replace any of them.
    std::vector<std::pair<std::string, std::string>> inputs{};
    Format format = Format::Csv;
    bool force = false;  // replace `out`
    // Causal order and final times (tmon_order/causal_merge.hpp) in place of the order of time. Unloads are left out.
    bool causal = false;
    // Called from time to time with the records read so far and their total; false: stop there.
    std::function<bool(std::uint64_t done, std::uint64_t of)> progress{};
};

struct ExportResult {
    std::string status{};  // of the trace: as trace_record::TraceScan::status()
    std::string clock{};   // name of the main clock
    std::uint64_t records = 0;
    std::uint64_t losses = 0, lost_records = 0;  // ranges, and records in them
    std::uint64_t open_streams = 0;              // nodes without an end mark
    std::uint64_t messages = 0, unmatched = 0;   // sends joined with their receives; sends and receives left alone
    std::uint64_t left_out = 0;                  // records without a place in their stream: repeated or damaged
    bool interrupted = false;                    // by `progress`; `out` was removed
};

// Throws vocabulary::InputError when there is no trace, or when `out` or a temporary file cannot be written. Exceptions of
// `clock` pass through. Cost: the trace is read twice; memory does not grow with the records (docs/guide/traces.md).
ExportResult export_trace(const ExportOptions& options);

}  // namespace tmon_export
