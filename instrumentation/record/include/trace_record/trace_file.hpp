// The binary trace file: append-only blocks behind a manifest, readable up to the last whole block after a crash of the writer
// (docs/formats/trace_file.md). It is written as NAME.incomplete and renamed on close, so a file called NAME is whole. Cost:
// writing and reading are bound by memory copies; raw blocks are read in place through a mapping of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace trace_record {

struct TraceFileOptions {
    bool compress = false;  // zstd, level 1; blocks that do not shrink stay raw
    bool force = false;     // replace an existing file
};

// One writer a file; threads must not share it. In a forked child every member does nothing until go_on_in(), because the file
// is the parent's. Every member throws when the file cannot be written: vocabulary::HostError if the host lacks room, else
// InputError.
class TraceFileWriter {
public:
    // manifest: JSON text, stored unchanged. Replaces an existing file only with TraceFileOptions::force.
    TraceFileWriter(std::string path, const std::string& manifest, TraceFileOptions options = {});
    TraceFileWriter(const TraceFileWriter&) = delete;
    TraceFileWriter& operator=(const TraceFileWriter&) = delete;
    ~TraceFileWriter();  // leaves NAME.incomplete without close()

    // Records of one node with sequence numbers first_seq, first_seq + 1, ...; at most 2^26 a block. `unloaded_us`: node clock
    // when the buffer manager began to pack their message; 0: unknown.
    void events(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> records, std::uint64_t unloaded_us = 0);
    void loss(const LossRange& range);
    // The end mark of a node, with the number of records its probes made.
    void stream_end(std::uint16_t node, std::uint32_t total_records);
    // Facts known only at the end: JSON text whose keys complete those of the manifest. Call it once, before close().
    void closing(const std::string& json);
    // In a forked child: continues in its own file, which begins with everything written before the fork. The parent must have
    // flushed before the fork.
    void go_on_in(const std::string& path);
    // Passes everything written so far to the host, so it survives a crash of this program.
    void flush();
    std::uint64_t blocks_written() const;  // not counting the end mark
    // The growing file: NAME.incomplete.
    const std::string& growing_path() const;
    // Writes the end mark and gives the file its name. Nothing may be written afterwards.
    void close();

private:
    struct State;
    std::unique_ptr<State> state_;
};

struct EventBlock {
    std::uint16_t node = 0;
    std::uint32_t first_seq = 0;
    std::span<const Event> events;  // valid as long as the reader lives
    std::uint64_t unloaded_us = 0;  // see TraceFileWriter::events
};

struct StreamEnd {
    std::uint16_t node = 0;
    std::uint32_t total_records = 0;
};

// How a file ends. The blocks before the end are whole in each case.
enum class TraceEnd : std::uint8_t {
    Complete,    // it has its end mark
    Incomplete,  // no end mark: its writer was stopped or still writes
    // the rest is damaged: changed, overwritten, or behind the end mark
    Damaged,
};

// Reads every whole block, at once: a TraceScan of the mapped file that keeps the records. A damaged or cut file is no error:
// end() and status() say where it ends. The file must not be cut while the reader lives.
class TraceFileReader {
public:
    // Throws vocabulary::InputError when the file cannot be opened, is not a trace, or has an unknown version. Versions 1 and 2
    // are known.
    explicit TraceFileReader(const std::string& path);
    TraceFileReader(const TraceFileReader&) = delete;
    TraceFileReader& operator=(const TraceFileReader&) = delete;
    ~TraceFileReader();

    const std::string& manifest() const;
    const std::string& closing() const;  // empty if the writer stopped before it
    TraceEnd end() const;
    bool complete() const { return end() == TraceEnd::Complete; }
    // "complete", "incomplete after block K" or "damaged after block K at byte B": blocks count from 1, bytes of the file from
    // 0.
    std::string status() const;
    std::size_t whole_blocks() const;
    const std::vector<EventBlock>& blocks() const;  // in file order
    const std::vector<LossRange>& losses() const;
    const std::vector<StreamEnd>& stream_ends() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace trace_record
