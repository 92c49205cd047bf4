// ControlledClock: the controlled logical clock of a stored trace (Rabenseifner 1997; Becker, Rabenseifner, Wolf, Linford
// 2009). Like the sort on the fly it moves a receive behind its send. Then the clock returns to the raw times slowly, and the
// records before the receive move forward a little too. So a jump is spread, and no interval between two records of a node
// changes by much.
//
// Forward: time(e) = max(raw(e), time(before) + 99 % of the raw interval, time(send) + least latency).
// Backward: a jump of J at a receive moves the records in the 100 J before it. The shift grows from 0 at the beginning to J at
// the receive. A send may not pass its receive. So the shift follows the lower convex hull of these bounds over time.
//
// Both shares of 1 % are ours: they are ten times the 1000 ppm that no crystal exceeds.
// Cost: constant a record, and at most 1024 records for each jump. Memory: 40 bytes a record, 16 after finish().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_order/causal_sorter.hpp>
#include <tmon_streams/stream_cursor.hpp>

namespace tmon_clocks {

class ControlledClock {
public:
    explicit ControlledClock(std::uint16_t nodes, std::int64_t least_latency_ns = 0);

    // A record with its raw time and the source of its message, if that was recorded. Records come in an order in which each
    // stands behind its source. EXPECTS a node that exists and a number above those that the node had before.
    void record(tmon_order::RecordId id, std::int64_t raw_ns, const std::optional<tmon_order::Cause>& source);
    // Spreads the jumps backwards. Nothing comes after it.
    void finish();

    // After finish(). The final time less the raw time, of the node's last record that is not later than `seq`; 0 before the
    // first. It is never negative. Cost: logarithmic in the node's records.
    std::int64_t shift_ns(std::uint32_t node, std::uint64_t seq) const;
    // The send that made the jump from which the shift comes; empty when there is none.
    std::optional<tmon_order::RecordId> forced_by(std::uint32_t node, std::uint64_t seq) const;

    std::uint64_t jumps() const { return jumps_.size(); }
    std::int64_t most_shift_ns() const { return most_shift_ns_; }
    std::int64_t mean_shift_ns() const;  // over all records

private:
    static constexpr std::uint32_t no_jump = 0xFFFF'FFFF;
    struct Jump {
        std::uint32_t node = 0, at = 0;  // index of the receive
        std::int64_t size_ns = 0;
        tmon_order::RecordId source;
    };
    struct Moved {
        std::uint32_t seq = 0, jump = no_jump;
        std::int64_t shift_ns = 0;
    };
    struct Times {
        std::int64_t raw_ns = 0, final_ns = 0;  // without the backward part
        std::int64_t room_ns = 0;               // of a send: how far it may move; else without a bound
    };
    const Moved* found(std::uint32_t node, std::uint64_t seq) const;
    std::size_t place(std::uint32_t node, std::uint64_t seq) const;
    void spread(std::uint32_t jump);

    std::int64_t least_latency_ns_;
    std::vector<std::vector<Moved>> moved_;  // by node
    std::vector<std::vector<Times>> times_;  // likewise, until finish()
    std::vector<Jump> jumps_;                // in the order of the records
    std::int64_t most_shift_ns_ = 0, mean_shift_ns_ = 0;
};

}  // namespace tmon_clocks
