// TraceIndex: the places of each node's blocks in a trace file that was scanned once. Memory does not grow with the number of
// records: at most 64 places a node are in memory. Further places go to an unnamed file in the folder for temporary files
// (TMPDIR, else /tmp), 40 bytes a block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <tmon_streams/trace.hpp>
#include <trace_record/trace_scan.hpp>

namespace tmon_streams {

class TraceIndex {
public:
    // `visit` sees every block once. Throws as TraceScan, and vocabulary::InputError when the temporary file cannot be
    // written. Memory: 64 bytes a range of lost records, and 40 bytes a block out of order.
    explicit TraceIndex(const std::string& path, const trace_record::TraceScan::Visit& visit = {});
    TraceIndex(const TraceIndex&) = delete;
    TraceIndex& operator=(const TraceIndex&) = delete;
    ~TraceIndex();

    const trace_record::TraceScan& scan() const;
    // Losses reported for that node, by first number.
    std::span<const LossRange> losses(std::uint16_t node) const;
    // The number of records in the node's end mark; empty: the stream is open.
    std::optional<std::uint32_t> total(std::uint16_t node) const;
    // Number of records of all nodes numbered `node` or higher.
    std::uint64_t records_from(std::uint32_t node) const;

    // The blocks of one node by their first number; several with the same number come in the order of the file.
    class Blocks {
    public:
        Blocks(const TraceIndex& index, std::uint16_t node);
        ~Blocks();
        Blocks(Blocks&&) noexcept;
        // Null after the last block. Valid until the next call. Throws vocabulary::InputError when the temporary file cannot
        // be read.
        const trace_record::BlockPlace* next();

    private:
        struct State;
        std::unique_ptr<State> state_;
    };

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_streams
