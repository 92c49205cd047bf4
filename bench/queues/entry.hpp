// The entries of the queues of queue_bench: 32 bytes an event, in the same total order as in Timeline. A Pool keeps entries
// that hang in lists, linked by index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hw_model/timeline.hpp>

namespace queues {

using hw_model::SimTime;
using hw_model::Timeline;

struct Entry {
    SimTime time;
    std::uint64_t order = 0;
    Timeline::Handler* handler = nullptr;
    std::uint32_t what = 0;
    std::uint32_t next = 0;  // for a queue with lists
};
static_assert(sizeof(Entry) == 32);

inline bool before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
}

class Pool {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    Entry& operator[](std::uint32_t index) { return entries_[index]; }
    std::uint32_t keep(const Entry& entry) {
        const std::uint32_t index = free_;
        if (index == none) {
            entries_.push_back(entry);
            return static_cast<std::uint32_t>(entries_.size() - 1);
        }
        free_ = entries_[index].next;
        entries_[index] = entry;
        return index;
    }
    Entry release(std::uint32_t index) {
        const Entry entry = entries_[index];
        entries_[index].next = free_;
        free_ = index;
        return entry;
    }
    // Into a list in order.
    void insert(std::uint32_t& head, std::uint32_t index) {
        std::uint32_t* link = &head;
        while (*link != none && before(entries_[*link], entries_[index])) link = &entries_[*link].next;
        entries_[index].next = *link;
        *link = index;
    }

private:
    std::vector<Entry> entries_;
    std::uint32_t free_ = none;
};

}  // namespace queues
