// Tournament: the least of many keys that change one at a time (a tree of winners: Knuth, volume 3, section 5.4.1). Of equal
// keys the lower place wins.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tmon_order {

class Tournament {
public:
    using Key = std::int64_t;
    static constexpr Key last = std::numeric_limits<Key>::max();  // of a place that is out

    // All places have the key.
    Tournament(std::size_t places, Key key) : size_(std::bit_ceil(places > 0 ? places : 1)), tree_(2 * size_, Entry{last, 0}) {
        for (std::size_t i = 0; i < size_; ++i) tree_[size_ + i] = {i < places ? key : last, i};
        for (std::size_t at = size_ - 1; at > 0; --at) {
            const Entry &left = tree_[2 * at], &right = tree_[2 * at + 1];
            tree_[at] = right.key < left.key ? right : left;
        }
    }
    // Cost: logarithmic in the places.
    void set(std::size_t place, Key key) {
        std::size_t at = size_ + place;
        Entry best{key, place};
        tree_[at] = best;
        for (; at > 1; at /= 2) {
            const Entry& other = tree_[at ^ 1];
            // Nobody can predict who wins, so this has no branch. The other one is to the left where `at` is odd.
            const bool loses = (other.key < best.key) | (((at & 1) != 0) & (other.key == best.key));
            const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(loses);
            best.key ^= (best.key ^ other.key) & static_cast<Key>(mask);
            best.place ^= (best.place ^ other.place) & mask;
            tree_[at / 2] = best;
        }
    }
    std::size_t winner() const { return tree_[1].place; }
    Key least() const { return tree_[1].key; }

private:
    struct Entry {
        Key key;
        std::uint64_t place;
    };

    std::size_t size_;  // a power of two
    std::vector<Entry> tree_;
};

}  // namespace tmon_order
