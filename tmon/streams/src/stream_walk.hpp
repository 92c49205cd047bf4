// StreamWalk: the stream of one node from a TraceIndex, block by block: the new records, and the losses before them. Gives the
// same result as StreamAssembler::assemble() for records in memory.
#pragma once

#include <optional>
#include <vector>

#include <tmon_streams/trace_index.hpp>
#include "stream_assembler.hpp"

namespace tmon_streams {

class StreamWalk {
public:
    // A block, from its record `skip` on; earlier blocks had the records before that.
    struct Part {
        const trace_record::BlockPlace* block;  // valid until the next call
        std::uint32_t skip;
    };

    StreamWalk(const TraceIndex& index, std::uint16_t node);
    // The next block with new records; empty at the end. `losses` gets the losses before the block or, at the end, those after
    // the last one.
    std::optional<Part> next(std::vector<LossRange>& losses);
    bool finished() const { return total_.has_value(); }
    // Number of records so far that were repeated or have no place in the stream.
    std::uint64_t left_out() const { return left_out_; }

private:
    std::uint16_t node_;
    TraceIndex::Blocks blocks_;
    ReportedLosses reported_;
    std::optional<std::uint32_t> total_;
    std::uint64_t highest_reported_ = 0;
    std::uint64_t next_ = 0;  // first number not yet accounted for
    std::uint64_t left_out_ = 0;
};

}  // namespace tmon_streams
