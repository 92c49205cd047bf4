// StreamAssembler: the blocks of one node in any order -> one Stream. Shared by the Collector and the reader of trace files,
// which differ only in who owns the records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tmon/trace.hpp"

namespace tmon {

struct Assembled {
    Stream stream;
    std::uint64_t repeated = 0;
    std::uint64_t conflicting = 0;
    std::uint64_t last_time_us = 0;
};

// Splits the missing records first ... last by the reported ranges; what nobody reported is of Unknown cause.
void explain_gap(std::uint16_t node, std::uint64_t first, std::uint64_t last, const std::vector<LossRange>& reported,
                 std::vector<LossRange>& out);

class StreamAssembler {
public:
    explicit StreamAssembler(std::uint16_t node) : node_(node) {}
    // The records must outlive the Stream.
    void add(std::uint32_t first_seq, std::span<const Event> events, std::uint64_t unloaded_us = 0) {
        blocks_.push_back({first_seq, events, unloaded_us});
    }
    void add_loss(const LossRange& range) { losses_.push_back(range); }
    void set_end(std::uint32_t total_records) { total_ = total_records; }
    Assembled assemble() const;

private:
    struct Block {
        std::uint32_t first_seq;
        std::span<const Event> events;
        std::uint64_t unloaded_us;
    };
    std::uint16_t node_;
    std::vector<Block> blocks_;
    std::vector<LossRange> losses_;
    std::optional<std::uint32_t> total_;
};

}  // namespace tmon
