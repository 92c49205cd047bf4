// SlotWheel: Timeline's wheel with the first `in_place` events of each slot in the slot itself, side by side. Others of the
// slot hang in a sorted list. Width and number of the slots, the bitmap and the heap for far events are those of Timeline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hw_model/used_slots.hpp>

#include "entry.hpp"
#include "heaps.hpp"

namespace queues {

template <std::size_t in_place>
class SlotWheel {
public:
    void push(const Entry& entry) {
        if (slot_number(entry.time) - slot_number(now_) >= slots) return far_.push(entry);
        ++near_;
        const std::size_t slot = slot_number(entry.time) & (slots - 1);
        insert(slots_[slot], entry);
        used_.add(slot);
    }
    SimTime next_time() {
        from_far_ = false;
        if (near_ == 0) {
            from_far_ = true;
            return far_.next_time();
        }
        next_ = used_.first_from(slot_number(now_) & (slots - 1));
        const Entry& near = slots_[next_].entries[0];
        if (far_.next_time() > near.time) return near.time;
        from_far_ = far_.comes_before(near);
        return from_far_ ? far_.next_time() : near.time;
    }
    Entry take() {
        const Entry entry = from_far_ ? far_.take() : take_near(slots_[next_]);
        now_ = entry.time;
        return entry;
    }

private:
    static constexpr std::size_t slots = hw_model::UsedSlots::count;
    static constexpr int slot_bits = 18;

    struct alignas(32 * in_place) Slot {
        std::array<Entry, in_place> entries;  // free places, at the end, have no handler
    };
    // `next` of the last entry in place leads to the list.
    static std::uint32_t& list_of(Slot& slot) { return slot.entries[in_place - 1].next; }
    static std::uint64_t slot_number(SimTime t) { return static_cast<std::uint64_t>(t.in_ps()) >> slot_bits; }

    void insert(Slot& slot, Entry entry) {
        const std::uint32_t list = slot.entries[in_place - 1].handler == nullptr ? Pool::none : list_of(slot);
        for (Entry& place : slot.entries) {
            if (place.handler == nullptr) {
                place = entry;
                list_of(slot) = list;
                return;
            }
            if (before(entry, place)) std::swap(entry, place);
        }
        list_of(slot) = list;
        pool_.insert(list_of(slot), pool_.keep(entry));
    }
    Entry take_near(Slot& slot) {
        --near_;
        const Entry entry = slot.entries[0];
        const std::uint32_t list = slot.entries[in_place - 1].handler == nullptr ? Pool::none : list_of(slot);
        for (std::size_t i = 1; i < in_place; ++i) slot.entries[i - 1] = slot.entries[i];
        if (list == Pool::none) {
            slot.entries[in_place - 1].handler = nullptr;
        } else {
            slot.entries[in_place - 1] = pool_.release(list);
        }
        if (slot.entries[0].handler == nullptr) used_.remove(next_);
        return entry;
    }

    SimTime now_;
    std::size_t near_ = 0, next_ = 0;
    bool from_far_ = false;
    hw_model::UsedSlots used_;
    std::vector<Slot> slots_ = std::vector<Slot>(slots);
    Pool pool_;
    BinaryHeap far_;
};

}  // namespace queues
