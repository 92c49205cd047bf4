// KeyTable: numbers by Key. Open addressing with linear probing; an erased entry leaves no mark. 24 bytes a slot, at most
// half of them used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tmon_order/communication.hpp>

namespace tmon_order {

class KeyTable {
public:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    KeyTable() : slots_(16) {}

    std::size_t size() const { return used_; }
    // The number of the key, or none.
    std::uint32_t find(const Key& key) const {
        for (std::size_t at = home(key);; at = next(at)) {
            if (slots_[at].value == none || slots_[at].key == key) return slots_[at].value;
        }
    }
    // The key must not be there.
    void add(const Key& key, std::uint32_t value) {
        if (2 * (used_ + 1) > slots_.size()) resize(2 * slots_.size());
        put(key, value);
        ++used_;
    }
    // The key must be there.
    void set(const Key& key, std::uint32_t value) {
        std::size_t at = home(key);
        while (!(slots_[at].key == key && slots_[at].value != none)) at = next(at);
        slots_[at].value = value;
    }
    void erase(const Key& key) {
        std::size_t hole = home(key);
        while (!(slots_[hole].key == key && slots_[hole].value != none)) hole = next(hole);
        // Entries behind the hole move up unless their home lies between hole and entry.
        for (std::size_t at = next(hole); slots_[at].value != none; at = next(at)) {
            const std::size_t distance = (at - home(slots_[at].key)) & (slots_.size() - 1);
            if (distance < ((at - hole) & (slots_.size() - 1))) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole].value = none;
        --used_;
        if (slots_.size() > 16 && 16 * used_ < slots_.size()) resize(slots_.size() / 4);
    }

private:
    struct Slot {
        Key key;
        std::uint32_t value = none;
    };

    std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
    std::size_t home(const Key& key) const {
        std::uint64_t hash = key.what * 0x9E37'79B9'7F4A'7C15ULL ^ (key.where + 0x7F4A'7C15ULL) * 0xC2B2'AE3D'27D4'EB4FULL;
        hash ^= hash >> 29;
        return hash & (slots_.size() - 1);
    }
    void put(const Key& key, std::uint32_t value) {
        std::size_t at = home(key);
        while (slots_[at].value != none) at = next(at);
        slots_[at] = {key, value};
    }
    void resize(std::size_t size) {
        std::vector<Slot> old(size);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.value != none) put(slot.key, slot.value);
        }
    }

    std::vector<Slot> slots_;  // a power of two
    std::size_t used_ = 0;
};

}  // namespace tmon_order
