// Queues that are one heap. BinaryHeap is the standard library's, of whole entries. QuadHeap has four children to a place and
// compares 16-byte keys alone. So the children of a place lie in one cache line. Source: LaMarca and Ladner, "The influence of
// caches on the performance of heaps", ACM Journal of Experimental Algorithmics 1 (1996).
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include <boost/align/aligned_allocator.hpp>

#include "entry.hpp"

namespace queues {

class BinaryHeap {
public:
    void push(const Entry& entry) { heap_.push(entry); }
    SimTime next_time() const { return heap_.empty() ? SimTime::never() : heap_.top().time; }
    bool comes_before(const Entry& entry) const { return !heap_.empty() && before(heap_.top(), entry); }
    Entry take() {
        const Entry entry = heap_.top();
        heap_.pop();
        return entry;
    }

private:
    struct Later {
        bool operator()(const Entry& a, const Entry& b) const { return before(b, a); }
    };
    std::priority_queue<Entry, std::vector<Entry>, Later> heap_;
};

class QuadHeap {
public:
    void push(const Entry& entry) {
        std::size_t at = size_++;
        if (size_ > keys_.size() - first) grow();
        const Key key{entry.time, entry.order};
        for (; at != 0; at = (at - 1) / 4) {
            const std::size_t above = (at - 1) / 4;
            if (!(key < key_at(above))) break;
            move(above, at);
        }
        put(at, key, {entry.handler, entry.what});
    }
    SimTime next_time() const { return size_ == 0 ? SimTime::never() : keys_[first].time; }
    Entry take() {
        const Entry entry{keys_[first].time, keys_[first].order, calls_[first].handler, calls_[first].what, 0};
        const Key key = key_at(--size_);
        std::size_t at = 0;
        for (std::size_t below = 1; below < size_; below = 4 * at + 1) {
            const std::size_t least = least_of(below);
            if (!(key_at(least) < key)) break;
            move(least, at);
            at = least;
        }
        if (size_ != 0) put(at, key, calls_[first + size_]);
        return entry;
    }

private:
    struct Key {
        SimTime time;
        std::uint64_t order = 0;
        bool operator<(const Key& other) const { return time != other.time ? time < other.time : order < other.order; }
    };
    struct Call {
        Timeline::Handler* handler = nullptr;
        std::uint32_t what = 0;
    };
    static constexpr std::size_t first = 3;  // so that the children of each place begin at a multiple of four

    const Key& key_at(std::size_t place) const { return keys_[first + place]; }
    void put(std::size_t place, const Key& key, const Call& call) {
        keys_[first + place] = key;
        calls_[first + place] = call;
    }
    void move(std::size_t from, std::size_t to) { put(to, keys_[first + from], calls_[first + from]); }
    std::size_t least_of(std::size_t below) const {
        const std::size_t end = below + 4 < size_ ? below + 4 : size_;
        std::size_t least = below;
        for (std::size_t other = below + 1; other < end; ++other) {
            if (key_at(other) < key_at(least)) least = other;
        }
        return least;
    }
    void grow() {
        keys_.resize(2 * keys_.size());
        calls_.resize(keys_.size());
    }
    using Keys = std::vector<Key, boost::alignment::aligned_allocator<Key, 64>>;
    Keys keys_ = Keys(256);
    std::vector<Call> calls_ = std::vector<Call>(256);
    std::size_t size_ = 0;
};

}  // namespace queues
