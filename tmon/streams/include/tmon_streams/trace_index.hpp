// TraceIndex: a trace file that was scanned once, and where the blocks of each node lie in it. Memory does not grow with the
// number of records: at most 64 places per node are in memory. The others are in a file without a name in the folder for
// temporary files (TMPDIR, else /tmp), 40 bytes a block.
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
    // `visit` sees every block once. Throws as TraceScan, and vocabulary::InputError when the temporary file cannot be written.
    // Memory: 64 bytes a range of lost records, and 40 a block that comes behind one of its node with higher numbers.
    explicit TraceIndex(const std::string& path, const trace_record::TraceScan::Visit& visit = {});
    TraceIndex(const TraceIndex&) = delete;
    TraceIndex& operator=(const TraceIndex&) = delete;
    ~TraceIndex();

    const trace_record::TraceScan& scan() const;
    // Reported for that node, by first number.
    std::span<const LossRange> losses(std::uint16_t node) const;
    // The number of records that the node said it made; empty: its stream is open.
    std::optional<std::uint32_t> total(std::uint16_t node) const;
    // Records of all nodes from that number on.
    std::uint64_t records_from(std::uint32_t node) const;

    // The blocks of one node by their first number; several with the same number come in the order of the file.
    class Blocks {
    public:
        Blocks(const TraceIndex& index, std::uint16_t node);
        ~Blocks();
        Blocks(Blocks&&) noexcept;
        // Null behind the last. Valid until the next call. Throws vocabulary::InputError when the temporary file cannot be
        // read.
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
