// TraceScan: the reader of trace files, block by block, for traces that are larger than memory and for files that still grow.
// One pass checks every block and visits it; records are read again when needed. TraceFileReader (trace_file.hpp) is a scan
// that keeps all records.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>
#include <trace_record/trace_file.hpp>

namespace trace_record {

// The position of a block of records in the file.
struct BlockPlace {
    std::uint64_t offset = 0;       // offset of the payload
    std::uint64_t unloaded_us = 0;  // see TraceFileWriter::events
    std::uint32_t stored_bytes = 0;
    std::uint32_t count = 0;
    std::uint32_t first_seq = 0;
    std::uint16_t node = 0;
    bool packed = false;  // by zstd
    bool placed = false;  // its records have the numbers that the block claims
};
static_assert(std::is_trivially_copyable_v<BlockPlace>);

class TraceScan {
public:
    // Called once for each whole block, in file order.
    using Visit = std::function<void(const BlockPlace&, std::span<const Event>)>;
    // The same with the blocks between them. Each may be empty.
    struct Visits {
        Visit events;
        std::function<void(const LossRange&)> loss;
        std::function<void(const StreamEnd&)> stream_end;
    };
    enum class Access : std::uint8_t {
        Window,  // a piece at a time: a file cut during reading gives an error, not a crash
        Mapped,  // in place: records of unpacked blocks stay valid while the scan lives
    };

    // Throws as TraceFileReader. Memory: the largest block, 32 bytes a range of lost records. `visit` may be empty.
    explicit TraceScan(const std::string& path, const Visit& visit = {}, Access access = Access::Window);
    TraceScan(const std::string& path, const Visits& visits, Access access = Access::Window);
    TraceScan(const TraceScan&) = delete;
    TraceScan& operator=(const TraceScan&) = delete;
    ~TraceScan();

    const std::string& path() const;
    const std::string& manifest() const;
    const std::string& closing() const;  // empty if the writer stopped before it
    TraceEnd end() const;
    bool complete() const { return end() == TraceEnd::Complete; }
    // The first byte behind the whole blocks. For a complete file: its length.
    std::uint64_t end_byte() const;
    std::string status() const;  // as TraceFileReader
    std::size_t whole_blocks() const;
    std::uint64_t bytes() const;  // length of the file when it was scanned
    std::uint64_t records() const;
    const std::vector<LossRange>& losses() const;  // in file order
    const std::vector<StreamEnd>& stream_ends() const;

    // Reads the records of a block into `records`. Throws vocabulary::InputError when the file has changed.
    void read(const BlockPlace& block, std::vector<Event>& records) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace trace_record
