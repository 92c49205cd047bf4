#include "stream_numbers.hpp"

#include <algorithm>

namespace tmon_order {
namespace {

constexpr std::size_t most_lost = 4096;

bool ends_before(const StreamNumbers::Range& range, std::uint64_t number) {
    return range.second < number;
}

}  // namespace

std::size_t StreamNumbers::run_at(std::uint64_t number) const {
    if (runs_.empty() || number > runs_.back().last) return runs_.size();
    const auto found =
        std::lower_bound(runs_.begin(), runs_.end(), number, [](const Run& run, std::uint64_t n) { return run.last < n; });
    return static_cast<std::size_t>(found - runs_.begin());
}

StreamNumbers::Place StreamNumbers::place(std::uint64_t number) const {
    const std::size_t at = run_at(number);
    if (at == runs_.size() || number < runs_[at].first) return Place::New;
    const auto lost = std::lower_bound(lost_.begin(), lost_.end(), number, ends_before);
    return lost != lost_.end() && lost->first <= number ? Place::Lost : Place::Repeated;
}

StreamNumbers::Added StreamNumbers::add(std::uint64_t first, std::uint64_t last, std::uint32_t node) {
    const std::size_t at = run_at(first);
    Added added;
    const bool joins_before = at > 0 && runs_[at - 1].last + 1 == first;
    const bool joins_after = at < runs_.size() && runs_[at].first == last + 1;
    if (joins_before) added.before = runs_[at - 1].last_node;
    if (joins_after) added.after = runs_[at].first_node;
    if (joins_before && joins_after) {
        runs_[at - 1].last = runs_[at].last;
        runs_[at - 1].last_node = runs_[at].last_node;
        runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (joins_before) {
        runs_[at - 1].last = last;
        runs_[at - 1].last_node = node;
    } else if (joins_after) {
        runs_[at].first = first;
        runs_[at].first_node = node;
    } else {
        runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(at), {first, last, node, node});
    }
    return added;
}

void StreamNumbers::remember_lost(Range range) {
    if (lost_.size() == most_lost) lost_.erase(lost_.begin(), lost_.begin() + most_lost / 2);
    lost_.insert(std::lower_bound(lost_.begin(), lost_.end(), range.first, ends_before), range);
}

void StreamNumbers::found(std::uint64_t number) {
    const auto at = std::lower_bound(lost_.begin(), lost_.end(), number, ends_before);
    const Range whole = *at;
    const auto place = lost_.erase(at);
    std::vector<Range> parts;
    if (whole.first < number) parts.emplace_back(whole.first, number - 1);
    if (number < whole.second) parts.emplace_back(number + 1, whole.second);
    lost_.insert(place, parts.begin(), parts.end());
}

std::vector<StreamNumbers::Range> StreamNumbers::missing(std::uint64_t first, std::uint64_t last) const {
    std::vector<Range> ranges;
    std::uint64_t next = first;
    for (std::size_t at = run_at(first); at < runs_.size() && runs_[at].first <= last; ++at) {
        if (runs_[at].first > next) ranges.emplace_back(next, runs_[at].first - 1);
        if (runs_[at].last >= last) return ranges;
        next = runs_[at].last + 1;
    }
    ranges.emplace_back(next, last);
    return ranges;
}

std::vector<StreamNumbers::Hole> StreamNumbers::holes() const {
    std::vector<Hole> holes;
    std::uint64_t next = 0;
    for (const Run& run : runs_) {
        if (run.first > next) holes.push_back({{next, run.first - 1}, run.first_node});
        next = run.last + 1;
    }
    return holes;
}

void StreamNumbers::keep(std::uint64_t number, const End& end) {
    kept_.push_back({number, kept_so_far_++, end});
    std::push_heap(kept_.begin(), kept_.end());
}

std::optional<End> StreamNumbers::take_leading() {
    if (kept_.empty() || kept_.front().number >= leading()) return std::nullopt;
    std::pop_heap(kept_.begin(), kept_.end());
    const End end = std::move(kept_.back().end);
    kept_.pop_back();
    return end;
}

}  // namespace tmon_order
