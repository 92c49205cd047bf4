// ControlledClock: the controlled logical clock of a stored trace (Rabenseifner 1997; Becker, Rabenseifner, Wolf, Linford
// 2009). Like the sort on the fly it moves a receive behind its send. Then the clock returns to the raw times slowly, and the
// records before the receive move forward a little too. So a jump is spread, and no interval between two records of a node
// changes by much.
//
// Forward: time(e) = max(raw(e), time(before) + 99 % of the raw interval, time(send) + least latency). The end of a collective
// has several sources, and each of them counts like a send.
// Backward: a jump of J at a receive moves the records in the 100 J before it. The shift grows from 0 at the beginning to J at
// the receive. A send may not pass its receive, nor a begin the other members' ends. So the shift follows the lower convex hull
// of these bounds over time.
//
// Both shares of 1 % are ours: they are ten times the 1000 ppm that no crystal exceeds.
// Cost: constant a record and source, and at most 1024 records for each jump. A list that records share counts once. Memory:
// 40 bytes a record, 16 after finish(), and 16 bytes a source of a shared list until then.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <tmon_order/causal_sorter.hpp>
#include <tmon_streams/stream_cursor.hpp>

namespace tmon_clocks {

class ControlledClock {
public:
    explicit ControlledClock(std::uint16_t nodes, std::int64_t least_latency_ns = 0);

    // A record with its raw time and the sources that were recorded. Records come in an order in which each stands behind its
    // sources. `shared` is as in tmon_order::SortedRecord: a number of this list, or 0. EXPECTS a node that exists, a number
    // above those that the node had before, and sources that came.
    void record(tmon_order::RecordId id, std::int64_t raw_ns, std::span<const tmon_order::Cause> sources,
                std::uint64_t shared = 0);
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
    static constexpr std::int64_t none_ns = std::numeric_limits<std::int64_t>::min();
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
    // The greatest time of all members, and that of the others than its node.
    struct Greatest {
        std::int64_t first_ns = none_ns, second_ns = none_ns;
        tmon_order::RecordId first, second;

        void add(tmon_order::RecordId id, std::int64_t time_ns);
        bool is_of_others(std::uint32_t node) const { return first.stream != node; }
        std::int64_t others_ns(std::uint32_t node) const { return is_of_others(node) ? first_ns : second_ns; }
        tmon_order::RecordId others(std::uint32_t node) const { return is_of_others(node) ? first : second; }
    };
    struct SharedSources {
        std::vector<tmon_order::RecordId> list;
        Greatest latest;            // final times of the list
        Greatest earliest_negated;  // final times of the records that have it, below zero
    };
    Times& times_of(tmon_order::RecordId id);
    SharedSources& shared_sources(std::span<const tmon_order::Cause> sources, std::uint64_t shared);
    void bound(Times& source, std::int64_t final_ns) const;
    void bound_shared();
    const Moved* found(std::uint32_t node, std::uint64_t seq) const;
    std::size_t place(std::uint32_t node, std::uint64_t seq) const;
    void spread(std::uint32_t jump);

    std::int64_t least_latency_ns_;
    std::vector<std::vector<Moved>> moved_;                     // by node
    std::vector<std::vector<Times>> times_;                     // likewise, until finish()
    std::vector<Jump> jumps_;                                   // in the order of the records
    std::vector<SharedSources> shared_;                         // until finish()
    std::unordered_map<std::uint64_t, std::size_t> shared_at_;  // by number; never walked through
    std::int64_t most_shift_ns_ = 0, mean_shift_ns_ = 0;
};

}  // namespace tmon_clocks
