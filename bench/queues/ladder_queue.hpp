// LadderQueue. Source: Tang, Goh and Thng, "Ladder queue: an O(1) priority queue structure for large-scale discrete event
// simulation". ACM Transactions on Modeling and Computer Simulation 15 (2005) 175-204. Far events lie unsorted in Top, nearer
// ones in the buckets of up to eight rungs, and the next few are sorted in Bottom. A bucket of more than 50 events becomes a
// rung. Deviations: times are integers. Bottom is an array with its first event last. A Top of at most 50 events goes to Bottom
// at once. The rung that relieves Bottom reaches to the next one, wherever Bottom ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "entry.hpp"

namespace queues {

class LadderQueue {
public:
    void push(const Entry& entry) {
        const std::int64_t time = entry.time.in_ps();
        if (time > top_start_) return push_top(entry);
        for (std::size_t i = 0; i < rungs_used_; ++i) {
            if (time >= rungs_[i].current()) return rungs_[i].add(pool_, pool_.keep(entry));
        }
        if (bottom_.size() >= threshold && rungs_used_ < most_rungs && bottom_spreads()) {
            relieve_bottom();
            return push(entry);
        }
        bottom_.insert(std::upper_bound(bottom_.begin(), bottom_.end(), entry, later), entry);
    }
    SimTime next_time() {
        if (bottom_.empty()) fill_bottom();
        return bottom_.empty() ? SimTime::never() : bottom_.back().time;
    }
    Entry take() {
        const Entry entry = bottom_.back();
        bottom_.pop_back();
        return entry;
    }

private:
    static constexpr std::size_t threshold = 50, most_rungs = 8;

    struct Bucket {
        std::uint32_t head = Pool::none, count = 0;
    };
    // Buckets of one width; those before `at` are done.
    struct Rung {
        std::int64_t start = 0, width = 1;
        std::size_t at = 0, used = 0, size = 0;  // size: in events
        std::vector<Bucket> buckets;

        // From `from` to `to`, that moment included.
        void begin(std::int64_t from, std::int64_t to, std::size_t parts) {
            start = from;
            width = (to - from) / static_cast<std::int64_t>(parts) + 1;
            at = size = 0;
            used = parts;
            if (buckets.size() < used) buckets.resize(used);
            std::fill_n(buckets.begin(), used, Bucket());
        }
        std::int64_t current() const { return start + static_cast<std::int64_t>(at) * width; }
        void add(Pool& pool, std::uint32_t index) {
            Bucket& bucket = buckets[static_cast<std::size_t>((pool[index].time.in_ps() - start) / width)];
            pool[index].next = bucket.head;
            bucket.head = index;
            ++bucket.count;
            ++size;
        }
    };
    static bool later(const Entry& a, const Entry& b) { return before(b, a); }

    void push_top(const Entry& entry) {
        const std::int64_t time = entry.time.in_ps();
        least_top_ = top_.count == 0 ? time : std::min(least_top_, time);
        most_top_ = top_.count == 0 ? time : std::max(most_top_, time);
        const std::uint32_t index = pool_.keep(entry);
        pool_[index].next = top_.head;
        top_.head = index;
        ++top_.count;
    }
    // Where the lowest rung's next bucket begins, or Top.
    std::int64_t end_of_bottom() const { return rungs_used_ == 0 ? top_start_ + 1 : rungs_[rungs_used_ - 1].current(); }
    bool bottom_spreads() const { return bottom_.front().time != bottom_.back().time; }
    void relieve_bottom() {
        const std::int64_t end = end_of_bottom();
        Rung& rung = rungs_[rungs_used_++];
        rung.begin(bottom_.back().time.in_ps(), end - 1, threshold);
        for (const Entry& entry : bottom_) rung.add(pool_, pool_.keep(entry));
        bottom_.clear();
    }
    void to_bottom(Bucket& bucket) {
        for (std::uint32_t index = bucket.head; index != Pool::none;) {
            bottom_.push_back(pool_.release(index));
            index = bottom_.back().next;
        }
        bucket = Bucket();
        std::sort(bottom_.begin(), bottom_.end(), later);
    }
    void to_rung(Bucket& bucket, Rung& rung) {
        for (std::uint32_t index = bucket.head; index != Pool::none;) {
            const std::uint32_t next = pool_[index].next;
            rung.add(pool_, index);
            index = next;
        }
        bucket = Bucket();
    }
    void fill_bottom() {
        while (bottom_.empty()) {
            while (rungs_used_ != 0 && rungs_[rungs_used_ - 1].size == 0) --rungs_used_;
            if (rungs_used_ != 0) {
                take_bucket(rungs_[rungs_used_ - 1]);
            } else if (top_.count != 0) {
                take_top();
            } else {
                top_start_ = -1;
                return;
            }
        }
    }
    void take_bucket(Rung& rung) {
        while (rung.buckets[rung.at].count == 0) ++rung.at;
        const std::int64_t start = rung.current();
        Bucket& bucket = rung.buckets[rung.at++];
        rung.size -= bucket.count;
        if (bucket.count <= threshold || rungs_used_ == most_rungs || rung.width == 1) return to_bottom(bucket);
        Rung& finer = rungs_[rungs_used_++];
        finer.begin(start, start + rung.width - 1, threshold);
        to_rung(bucket, finer);
    }
    void take_top() {
        top_start_ = most_top_;
        if (top_.count <= threshold) return to_bottom(top_);
        Rung& rung = rungs_[rungs_used_++];
        rung.begin(least_top_, most_top_, top_.count);
        to_rung(top_, rung);
    }

    Pool pool_;
    Bucket top_;
    std::int64_t top_start_ = -1, least_top_ = 0, most_top_ = 0;
    std::array<Rung, most_rungs> rungs_;
    std::size_t rungs_used_ = 0;
    std::vector<Entry> bottom_;
};

}  // namespace queues
