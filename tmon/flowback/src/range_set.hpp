// RangeSet: bytes of memory, as ranges that do not touch. Cost of each call: logarithmic, and linear in what it changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <flowback_log/format.hpp>

namespace tmon_flowback {

class RangeSet {
public:
    using Range = flowback_log::Range;

    bool empty() const { return ends_.empty(); }
    void add(Range range) {
        if (range.second == 0) return;
        std::uint64_t begin = range.first, end = range.first + range.second;
        auto at = ends_.upper_bound(begin);
        if (at != ends_.begin() && std::prev(at)->second >= begin) --at;
        while (at != ends_.end() && at->first <= end) {
            begin = std::min(begin, at->first);
            end = std::max(end, at->second);
            at = ends_.erase(at);
        }
        ends_[begin] = end;
    }
    void add(const RangeSet& other) {
        for (const auto& [begin, end] : other.ends_) add({begin, end - begin});
    }
    // Removes what lies in the range, and returns it.
    std::vector<Range> cut(Range range) {
        std::vector<Range> removed;
        const std::uint64_t begin = range.first, end = range.first + range.second;
        if (range.second == 0) return removed;
        auto at = ends_.upper_bound(begin);
        if (at != ends_.begin() && std::prev(at)->second > begin) --at;
        while (at != ends_.end() && at->first < end) {
            const auto [first, last] = *at;
            at = ends_.erase(at);
            if (first < begin) ends_[first] = begin;
            if (last > end) at = ends_.emplace(end, last).first;
            removed.emplace_back(std::max(first, begin), std::min(last, end) - std::max(first, begin));
        }
        return removed;
    }
    bool meets(Range range) const {
        const auto at = ends_.upper_bound(range.first);
        if (at != ends_.end() && at->first < range.first + range.second) return range.second > 0;
        return at != ends_.begin() && std::prev(at)->second > range.first && range.second > 0;
    }
    bool meets(const std::vector<Range>& ranges) const {
        return std::any_of(ranges.begin(), ranges.end(), [this](const Range& range) { return meets(range); });
    }
    std::vector<Range> ranges() const {
        std::vector<Range> all;
        for (const auto& [begin, end] : ends_) all.emplace_back(begin, end - begin);
        return all;
    }

private:
    std::map<std::uint64_t, std::uint64_t> ends_;  // by beginning
};

}  // namespace tmon_flowback
