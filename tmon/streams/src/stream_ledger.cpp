#include <tmon_streams/stream_ledger.hpp>

#include <algorithm>

#include <trace_record/placed.hpp>
#include "stream_assembler.hpp"

namespace tmon_streams {

StreamLedger::Place StreamLedger::add(std::uint32_t first_seq, std::span<const Event> events) {
    if (events.empty()) return Place::New;
    if (!trace_record::is_placed(first_seq, events)) {
        misplaced_ += events.size();
        return Place::Misplaced;
    }
    const std::uint64_t end = first_seq + std::uint64_t{events.size()};
    if (first_seq < next_) {
        if (!fill(first_seq, end)) return Place::Again;
    } else {
        if (first_seq > next_) gaps_.emplace_back(static_cast<std::uint32_t>(next_), first_seq - 1);
        next_ = end;
    }
    records_ += events.size();
    return Place::New;
}

// Records that came late, when they all lie in one gap.
bool StreamLedger::fill(std::uint64_t first, std::uint64_t end) {
    const auto gap = std::find_if(gaps_.begin(), gaps_.end(),
                                  [&](const Gap& each) { return each.first <= first && end - 1 <= each.second; });
    if (gap == gaps_.end()) return false;
    const Gap before{gap->first, static_cast<std::uint32_t>(first) - 1}, after{static_cast<std::uint32_t>(end), gap->second};
    const bool some_before = gap->first < first, some_after = end <= gap->second;
    auto at = gaps_.erase(gap);
    if (some_after) at = gaps_.insert(at, after);
    if (some_before) gaps_.insert(at, before);
    return true;
}

bool StreamLedger::misses(std::uint32_t first_seq, std::uint32_t last_seq) const {
    const auto gap = std::lower_bound(gaps_.begin(), gaps_.end(), first_seq,
                                      [](const Gap& each, std::uint32_t seq) { return each.second < seq; });
    return gap != gaps_.end() && gap->first <= last_seq;
}

std::uint64_t StreamLedger::suspect() const {
    return misplaced_ + (total_ && next_ > *total_ ? 1 : 0);  // more records than the node says it made
}

Stream StreamLedger::stream() const {
    Stream stream;
    stream.node = node_;
    stream.state = total_ ? StreamState::Finished : StreamState::Open;
    std::vector<LossRange> reported = reported_;
    std::stable_sort(reported.begin(), reported.end(),
                     [](const LossRange& a, const LossRange& b) { return a.first_seq < b.first_seq; });
    ReportedLosses losses(reported);
    for (const Gap& gap : gaps_) losses.explain(node_, gap.first, gap.second, stream.losses);
    std::uint64_t total = std::max<std::uint64_t>(next_, total_.value_or(0));
    for (const LossRange& range : reported) total = std::max<std::uint64_t>(total, range.last_seq + 1ull);
    if (total > next_) losses.explain(node_, next_, total - 1, stream.losses);
    return stream;
}

}  // namespace tmon_streams
