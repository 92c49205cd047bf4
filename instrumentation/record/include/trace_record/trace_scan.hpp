// TraceScan: a trace file that is read block by block, for traces that are larger than memory and for files that still grow.
// One pass checks every block and keeps where it lies; records are read again when they are wanted. Nothing is mapped, so a
// file that is cut while it is read gives an error and no crash.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace_record/event.hpp"
#include "trace_record/loss_range.hpp"
#include "trace_record/trace_file.hpp"

namespace trace_record {

// Where a block of records lies. 40 bytes a block: of a run's own file about a hundredth of the trace.
struct BlockPlace {
    std::uint64_t offset = 0;       // of the payload
    std::uint64_t unloaded_us = 0;  // see TraceFileWriter::events
    std::uint32_t stored_bytes = 0;
    std::uint32_t count = 0;
    std::uint32_t first_seq = 0;
    std::uint16_t node = 0;
    bool packed = false;  // by zstd
    bool placed = false;  // its records carry the numbers that it claims
};

class TraceScan {
public:
    // Sees each whole block's records once, in the order of the file. Return false to end the scan there.
    using Visit = std::function<bool(const BlockPlace&, std::span<const Event>)>;

    // Throws as TraceFileReader. Memory: the places, and the largest block. `visit` may be empty.
    explicit TraceScan(const std::string& path, const Visit& visit = {});
    TraceScan(const TraceScan&) = delete;
    TraceScan& operator=(const TraceScan&) = delete;
    ~TraceScan();

    const std::string& path() const;
    const std::string& manifest() const;
    const std::string& closing() const;  // empty when the writer did not come to it
    bool complete() const;
    std::size_t whole_blocks() const;
    std::string status() const;   // as TraceFileReader
    std::uint64_t bytes() const;  // of the file, when it was scanned
    std::uint64_t records() const;
    const std::vector<BlockPlace>& blocks() const;  // in the order in which they were written
    const std::vector<LossRange>& losses() const;
    const std::vector<StreamEnd>& stream_ends() const;

    // The records of a block, into `records`. Throws vocabulary::InputError when the file is not what it was any more.
    void read(const BlockPlace& block, std::vector<Event>& records) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace trace_record
