// StreamNumbers: which numbers of one stream have come or are lost, as runs without a hole. Neighbours in a run know each
// other; so only the two ends of a run are kept. Usually there is one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tmon_order/communication.hpp>

namespace tmon_order {

class StreamNumbers {
public:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;
    using Range = std::pair<std::uint64_t, std::uint64_t>;  // first and last

    enum class Place : std::uint8_t { New, Repeated, Lost };
    // Lost numbers are remembered for the newest 4096 ranges; older ones count as repeated.
    Place place(std::uint64_t number) const;

    struct Added {
        std::uint32_t before = none, after = none;  // nodes of the numbers beside it; none: not there
    };
    // Numbers first ... last become one node. None of them may be there.
    Added add(std::uint64_t first, std::uint64_t last, std::uint32_t node);
    void remember_lost(Range range);
    // One lost number has come after all.
    void found(std::uint64_t number);
    // The numbers of the range that are not there.
    std::vector<Range> missing(std::uint64_t first, std::uint64_t last) const;
    struct Hole {
        Range range;
        std::uint32_t node;  // after it
    };
    std::vector<Hole> holes() const;  // below the highest number
    // One more than the last number of the run from 0.
    std::uint64_t leading() const { return runs_.empty() || runs_.front().first > 0 ? 0 : runs_.front().last + 1; }
    // One more than the highest number.
    std::uint64_t end() const { return runs_.empty() ? 0 : runs_.back().last + 1; }
    std::uint32_t newest() const { return runs_.empty() ? none : runs_.back().last_node; }

    // Ends seen behind a hole: they are evidence only when the hole is closed.
    void keep(std::uint64_t number, const End& end);
    // The earliest of them, if it is in the run from 0 now.
    std::optional<End> take_leading();

private:
    struct Run {
        std::uint64_t first, last;
        std::uint32_t first_node, last_node;
    };
    // The first run that ends at `number` or later.
    std::size_t run_at(std::uint64_t number) const;

    std::vector<Run> runs_;    // ascending
    std::vector<Range> lost_;  // ascending
    struct Kept {
        std::uint64_t number, order;
        End end;
        friend bool operator<(const Kept& a, const Kept& b) {
            return a.number != b.number ? a.number > b.number : a.order > b.order;
        }
    };
    std::vector<Kept> kept_;  // a heap, the least number first
    std::uint64_t kept_so_far_ = 0;
};

}  // namespace tmon_order
