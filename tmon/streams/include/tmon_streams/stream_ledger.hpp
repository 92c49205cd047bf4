// StreamLedger: which records of one node have come, without the records themselves. It gives the state and the losses that a
// StreamAssembler gives for the same blocks. Memory: 8 bytes a gap and 64 a reported loss; nothing for records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tmon_streams/trace.hpp>

namespace tmon_streams {

class StreamLedger {
public:
    explicit StreamLedger(std::uint16_t node) : node_(node) {}

    enum class Place : std::uint8_t {
        New,        // none of these numbers had come
        Misplaced,  // the records do not fit the block: they count as suspect, and their range stays a gap
        Again,      // some of these numbers had come before
    };
    // Cost: linear in the records, and for a block that fills a gap in the gaps.
    Place add(std::uint32_t first_seq, std::span<const Event> events);
    void add_loss(const LossRange& range) { reported_.push_back(range); }
    void set_end(std::uint32_t total_records) { total_ = total_records; }

    bool has_come_to(std::uint32_t seq) const { return seq < next_; }  // this record or a later one has come
    // True when a record between these two numbers is missing so far.
    bool misses(std::uint32_t first_seq, std::uint32_t last_seq) const;
    std::uint64_t records() const { return records_; }  // those of New blocks
    std::uint64_t suspect() const;                      // see Trace
    bool finished() const { return total_.has_value(); }
    // Node, state and losses; no records. Cost: linear in gaps and losses, after sorting these.
    Stream stream() const;

private:
    bool fill(std::uint64_t first, std::uint64_t end);

    using Gap = std::pair<std::uint32_t, std::uint32_t>;  // first and last missing number
    std::uint16_t node_;
    std::uint64_t next_ = 0;  // one more than the highest number that came
    std::vector<Gap> gaps_;   // ascending, disjoint
    std::vector<LossRange> reported_;
    std::optional<std::uint32_t> total_;
    std::uint64_t records_ = 0, misplaced_ = 0;
};

}  // namespace tmon_streams
