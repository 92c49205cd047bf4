// MemberProgress: how far each member of a group has come, as the least number that may still come from it. It finds those that
// are behind a number. A tree of minima (Knuth, volume 3, section 5.4.1), 16 bytes a member.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tmon_order {

class MemberProgress {
public:
    static constexpr std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();  // no number may come
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    // All members may begin with number 0.
    explicit MemberProgress(std::uint32_t members)
        : size_(std::bit_ceil(std::max<std::size_t>(members, 1))), least_(2 * size_, ended) {
        std::fill_n(least_.begin() + static_cast<std::ptrdiff_t>(size_), members, 0);
        for (std::size_t at = size_ - 1; at > 0; --at) least_[at] = std::min(least_[2 * at], least_[2 * at + 1]);
    }

    std::uint64_t of(std::uint32_t rank) const { return least_[size_ + rank]; }
    std::uint64_t least() const { return least_[1]; }
    // That of all members but one that has the least. Cost: logarithmic in the members, as for the two below.
    std::uint64_t second_least() const {
        std::uint64_t second = ended;
        for (std::size_t at = 1; at < size_;) {
            at = least_[2 * at] == least_[at] ? 2 * at : 2 * at + 1;
            second = std::min(second, least_[at ^ 1]);
        }
        return second;
    }
    // A lower number than the member's changes nothing.
    void raise(std::uint32_t rank, std::uint64_t number) {
        std::size_t at = size_ + rank;
        if (number <= least_[at]) return;
        least_[at] = number;
        for (at /= 2; at > 0; at /= 2) {
            const std::uint64_t now = std::min(least_[2 * at], least_[2 * at + 1]);
            if (now == least_[at]) return;
            least_[at] = now;
        }
    }
    // The first member from this rank on that may still have the number; or none.
    std::uint32_t first_behind(std::uint32_t from, std::uint64_t number) const {
        if (from >= size_) return none;
        std::size_t at = size_ + from;
        while (least_[at] > number) {
            while ((at & 1) != 0) at /= 2;  // nothing to the right below this node
            if (at == 0) return none;
            ++at;
        }
        while (at < size_) at = least_[2 * at] <= number ? 2 * at : 2 * at + 1;
        return static_cast<std::uint32_t>(at - size_);
    }

private:
    std::size_t size_;                  // a power of two
    std::vector<std::uint64_t> least_;  // by node of the tree; the members are its leaves
};

}  // namespace tmon_order
