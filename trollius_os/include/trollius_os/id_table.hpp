// IdTable: values by event or node, for tables that every message asks. Open addressing with linear probing; a look-up touches
// one line of the host's cache, where std::unordered_map divides and follows pointers. A reference is good until the next new
// key. Cost: memory for at most four times the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace trollius_os {

template <class Key, class Value>
class IdTable {
public:
    Value* find(Key key) {
        if (places_.empty()) return nullptr;
        Place& place = places_[place_of(key)];
        return place.used ? &place.value : nullptr;
    }
    const Value* find(Key key) const { return const_cast<IdTable*>(this)->find(key); }

    // A new key has the value Value().
    Value& operator[](Key key) {
        if (!places_.empty()) {
            Place& place = places_[place_of(key)];
            if (place.used) return place.value;
        }
        return add(key);
    }

    void erase(Key key) {
        if (places_.empty()) return;
        std::size_t gap = place_of(key);
        if (!places_[gap].used) return;
        --used_;
        // Those behind it move up, unless they would lie before the place where their search begins.
        const std::size_t mask = places_.size() - 1;
        for (std::size_t at = (gap + 1) & mask; places_[at].used; at = (at + 1) & mask) {
            const std::size_t begin = first_of(places_[at].key);
            if (((at - begin) & mask) < ((at - gap) & mask)) continue;
            places_[gap] = std::move(places_[at]);
            gap = at;
        }
        places_[gap] = Place();
    }

    void clear() {
        places_.clear();
        used_ = 0;
    }
    std::size_t size() const { return used_; }

private:
    struct Place {
        Key key{};
        bool used = false;
        Value value{};
    };
    static constexpr std::size_t least = 16;

    // Fibonacci hashing (Knuth, volume 3, section 6.4).
    std::size_t first_of(Key key) const {
        constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>((static_cast<std::uint64_t>(key.value()) * factor) >> 32U) & (places_.size() - 1);
    }
    // Where the key lies, or the gap where it would.
    std::size_t place_of(Key key) const {
        const std::size_t mask = places_.size() - 1;
        std::size_t at = first_of(key);
        while (places_[at].used && places_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    [[gnu::noinline]] Value& add(Key key) {
        if (2 * (used_ + 1) > places_.size()) {
            std::vector<Place> old(places_.empty() ? least : 2 * places_.size());
            old.swap(places_);
            for (Place& place : old) {
                if (place.used) places_[place_of(place.key)] = std::move(place);
            }
        }
        Place& place = places_[place_of(key)];
        place.key = key;
        place.used = true;
        ++used_;
        return place.value;
    }

    std::vector<Place> places_;  // a power of two, at most half of them used
    std::size_t used_ = 0;
};

}  // namespace trollius_os
