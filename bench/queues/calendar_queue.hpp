// CalendarQueue: R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the simulation event set problem",
// Communications of the ACM 31 (1988) 1220-1227. A year has as many days as there are buckets; each bucket is a sorted list.
// The days become twice or half as many when the events do, and their width follows a sample of the events that are next.
// Deviations: times are integers, and ties are broken by the whole order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "entry.hpp"

namespace queues {

class CalendarQueue {
public:
    void push(const Entry& entry) {
        pool_.insert(days_[day_of(entry.time)], pool_.keep(entry));
        if (++size_ > 2 * days_.size()) resize(2 * days_.size());
    }
    SimTime next_time() {
        if (size_ == 0) return SimTime::never();
        find();
        return pool_[days_[day_]].time;
    }
    Entry take() {
        const Entry entry = unlink();
        if (days_.size() > 2 && size_ < days_.size() / 2) resize(days_.size() / 2);
        return entry;
    }

private:
    static constexpr std::size_t most_samples = 25;

    std::size_t day_of(SimTime time) const { return static_cast<std::size_t>(time.in_ps() / width_) & (days_.size() - 1); }
    void start_at(SimTime time) {
        day_ = day_of(time);
        day_ends_ = (time.in_ps() / width_ + 1) * width_;
    }
    // Makes day_ the one whose first event is next. Without resize(), the last event was taken from the present day_.
    void find() {
        for (std::size_t seen = 0; seen < days_.size(); ++seen) {
            if (days_[day_] != Pool::none && pool_[days_[day_]].time.in_ps() < day_ends_) return;
            day_ = (day_ + 1) & (days_.size() - 1);
            day_ends_ += width_;
        }
        const Entry* least = nullptr;  // nothing in the whole year
        for (const std::uint32_t head : days_) {
            if (head != Pool::none && (least == nullptr || before(pool_[head], *least))) least = &pool_[head];
        }
        start_at(least->time);
    }
    Entry unlink() {
        const Entry entry = pool_.release(days_[day_]);
        days_[day_] = entry.next;
        --size_;
        last_ = entry.time;
        return entry;
    }
    // Three times the mean distance of the next events; those more than twice as far apart as the mean do not count.
    std::int64_t sampled_width() {
        const std::size_t wanted = size_ <= 5 ? size_ : std::min(5 + size_ / 10, most_samples);
        if (wanted < 2) return width_;
        std::array<Entry, most_samples> samples;
        const SimTime last = last_;
        for (std::size_t i = 0; i < wanted; ++i) {
            find();
            samples[i] = unlink();
        }
        for (std::size_t i = 0; i < wanted; ++i) pool_.insert(days_[day_of(samples[i].time)], pool_.keep(samples[i]));
        size_ += wanted;
        last_ = last;
        const auto distance = [&](std::size_t i) { return (samples[i].time - samples[i - 1].time).in_ps(); };
        const std::int64_t mean = (samples[wanted - 1].time - samples[0].time).in_ps() / static_cast<std::int64_t>(wanted - 1);
        std::int64_t sum = 0, count = 0;
        for (std::size_t i = 1; i < wanted; ++i) {
            if (distance(i) > 2 * mean) continue;
            sum += distance(i);
            ++count;
        }
        return std::max<std::int64_t>(count == 0 ? width_ : 3 * sum / count, 1);
    }
    void resize(std::size_t days) {
        width_ = sampled_width();
        std::vector<std::uint32_t> old(days, Pool::none);
        old.swap(days_);
        for (std::uint32_t index : old) {
            while (index != Pool::none) {
                const std::uint32_t next = pool_[index].next;
                pool_.insert(days_[day_of(pool_[index].time)], index);
                index = next;
            }
        }
        start_at(last_);
    }
    Pool pool_;
    std::vector<std::uint32_t> days_ = std::vector<std::uint32_t>(2, Pool::none);
    std::int64_t width_ = 1'000'000, day_ends_ = width_;  // ps
    SimTime last_;
    std::size_t size_ = 0, day_ = 0;
};

}  // namespace queues
