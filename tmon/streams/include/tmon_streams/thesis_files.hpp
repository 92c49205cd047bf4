// The text files of the thesis (Lin 1993, sections 5.3.3 and 5.4.3): .spf, .all, .config, .tvm and .bug
// (docs/formats/thesis_files.md). Readers throw vocabulary::InputError "FILE:LINE:COLUMN: problem; remedy" and never accept
// part of a file. Writers write beside the file and rename, and replace a file only when told to. Cost: about 40 ns a line to
// read; memory grows with the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <text/output_file.hpp>
#include <tmon_streams/trace.hpp>
#include <trace_record/event_names.hpp>

namespace tmon_streams {

// PREFIX.spf: processors, topology, tasks, degree, depth; five integers.
farm_spec::FarmSpec read_spf(const std::string& path);
void write_spf(const std::string& path, const farm_spec::FarmSpec& spec, text::Replace replace = text::Replace::No);

// PREFIX.config: hostmon's account of the streams; only this file has the losses of a .tvm.
struct SeqRange {
    std::uint32_t first_seq = 0, last_seq = 0;  // inclusive

    friend bool operator==(const SeqRange&, const SeqRange&) = default;
};
struct NodeConfig {
    StreamState state = StreamState::Open;
    std::uint64_t events = 0;        // received
    std::uint64_t last_time_us = 0;  // node clock of the last one received
    std::vector<LossRange> losses;   // ascending, disjoint
    std::vector<SeqRange> others{};  // received records of classes other than task, which a .tvm leaves out; sorted alike

    friend bool operator==(const NodeConfig&, const NodeConfig&) = default;
};
struct ConfigFile {
    SessionEnd session = SessionEnd::Unknown;
    std::vector<NodeConfig> nodes;                    // by node number
    std::uint64_t dropped_messages = 0;               // see Trace
    bool marks_take_other_ways = false;               // see Trace
    std::optional<std::uint32_t> reported_results{};  // see Trace

    friend bool operator==(const ConfigFile&, const ConfigFile&) = default;
};
ConfigFile config_of(const Trace& trace);
ConfigFile read_config(const std::string& path);
void write_config(const std::string& path, const ConfigFile& config, text::Replace replace = text::Replace::No);

// PREFIX.tvm: `Ptime Sid Type Did MainTid SubTid`, the events of a node in its order, of class task only. The direction (task
// or result) follows from the tree. Without a config the losses are not known. Records get the sequence numbers that the
// config's losses and other records leave free. A number of lines other than the config's is an error, because unreported
// records are then missing.
Trace read_tvm(const std::string& path, const farm_spec::FarmSpec& spec, const std::optional<ConfigFile>& config);
void write_tvm(const std::string& path, const Trace& trace, text::Replace replace = text::Replace::No);

// PREFIX.all: `Seq Ptime Sid Type Did MainTid SubTid Kind Bytes`, all fields of every record, of every class. The config
// follows the same rule.
Trace read_all(const std::string& path, const ConfigFile& config);
void write_all(const std::string& path, const Trace& trace, text::Replace replace = text::Replace::No);

// The tvmfilter program makes PREFIX.tvm from PREFIX.all and PREFIX.config, and a file for each other class of records.
//   PREFIX.usage     `Ptime Sid High Low Link0 Link1 Link2 Link3 Buffered`: us of work by priority, then per cent by link.
//   PREFIX.standard  `Ptime Sid Type ...`: messages, receive calls, processes and clock interrupts.
//   PREFIX.user      `Ptime Sid Number Value`.
// The lines of one node stand in its own order. A file may be empty; so none is left of an older session.
struct FilteredEvents {
    std::uint64_t task = 0, usage = 0, standard = 0, user = 0;  // lines in .tvm, .usage, .standard, .user
};
FilteredEvents tvmfilter(const std::string& prefix, text::Replace replace = text::Replace::No);
// "1386 events in out/data.tvm; 20 in .usage, 0 in .standard, 3 in .user"
std::string filtered_text(const FilteredEvents& events, const std::string& prefix);

// PREFIX.bug: `Error TaskNo ProcNo Process`; Error is the kind of fault, one word.
struct BugLine {
    std::string error;
    std::uint32_t task = 0;
    std::uint16_t node = 0;
    std::string process;

    friend bool operator==(const BugLine&, const BugLine&) = default;
};
std::vector<BugLine> read_bug(const std::string& path);
void write_bug(const std::string& path, const std::vector<BugLine>& lines, text::Replace replace = text::Replace::No);

using trace_record::loss_cause_name;
std::string_view stream_state_name(StreamState state);

}  // namespace tmon_streams
