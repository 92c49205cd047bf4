// StreamAssembler: the blocks of one node in any order -> one Stream. Shared by the Collector and the reader of trace files,
// which differ only in the owner of the records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tmon_streams/trace.hpp>

namespace tmon_streams {

struct Assembled {
    Stream stream;
    std::uint64_t repeated = 0;
    std::uint64_t conflicting = 0;
    std::uint64_t last_time_us = 0;
};

// The reported losses of one node, queried gap after gap in ascending order. Cost: linear in the ranges and gaps together,
// when ranges do not overlap.
class ReportedLosses {
public:
    // By first number; must outlive this.
    explicit ReportedLosses(std::span<const LossRange> sorted) : ahead_(sorted) {}
    // Splits the missing records first ... last by the reported ranges; the rest is of Unknown cause.
    void explain(std::uint16_t node, std::uint64_t first, std::uint64_t last, std::vector<LossRange>& out);

private:
    std::span<const LossRange> ahead_;  // not visited yet
    std::vector<LossRange> near_;       // visited ranges that may explain later gaps
};

class StreamAssembler {
public:
    explicit StreamAssembler(std::uint16_t node) : node_(node) {}
    // The records must outlive the Stream. came: see Stream.
    void add(std::uint32_t first_seq, std::span<const Event> events, std::uint64_t unloaded_us = 0, std::uint64_t came = 0);
    void add_loss(const LossRange& range) { losses_.push_back(range); }
    void set_end(std::uint32_t total_records) { total_ = total_records; }
    Assembled assemble() const;

private:
    struct Block {
        std::uint32_t first_seq;
        std::span<const Event> events;
        std::uint64_t unloaded_us, came;
    };
    std::uint16_t node_;
    std::vector<Block> blocks_;
    std::uint64_t misplaced_ = 0;  // records of blocks without a place in the stream
    std::vector<LossRange> losses_;
    std::optional<std::uint32_t> total_;
};

}  // namespace tmon_streams
