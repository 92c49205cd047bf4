// NodeReading: how far one node may have come, by its own records alone. The blocks of a program are in order. So each lost
// record belongs to a block between those of the records around its gap, and counting the lost records is enough. Private.
#pragma once

#include <cstdint>
#include <optional>

#include <tmon_models/program.hpp>
#include <tmon_models/stops.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_models {

class NodeReading {
public:
    // One pass over the records. The program must outlive it.
    NodeReading(const Program& program, const tmon_streams::Stream& stream);

    // The first one.
    const std::optional<Misfit>& misfit() const { return misfit_; }
    bool is_open() const { return is_open_; }    // its last records may be missing
    bool is_lossy() const { return is_lossy_; }  // some are missing before its end mark
    // A node whose monitor never began waits at its first record, and lives.
    bool may_have_begun_more() const { return is_open_ || (records_ == 0 && !is_lossy_); }
    // The state that the records alone show: the last recorded block, the moves recorded in it, and all blocks before.
    NodeState recorded() const;
    // False when no placing of the lost records gives this state.
    bool allows(const NodeState& state) const;
    // Bounds for the block of a state that is allowed.
    std::uint64_t least_block() const { return last_block_; }
    std::uint64_t most_block() const;

private:
    struct Counts {
        std::uint64_t least = 0, most = 0;  // lost records placed so far
    };
    class Scan;

    const Program& program_;
    std::uint16_t node_;
    bool is_open_, is_lossy_;
    std::optional<Misfit> misfit_;
    std::uint64_t records_ = 0;
    std::uint64_t last_block_ = 0;
    std::uint32_t last_mask_ = 0;        // moves of the last block that are on record
    std::uint64_t missing_in_full_ = 0;  // unrecorded moves up to the last block, if that is full
    Counts at_last_;                     // at the last record
    Counts after_last_;                  // in the gaps behind it
};

}  // namespace tmon_models
