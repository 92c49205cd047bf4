#include "stream_assembler.hpp"

#include <algorithm>

#include <trace_record/placed.hpp>

namespace tmon_streams {

namespace {

bool joins(const LossRange& a, const LossRange& b) {
    const bool a_timed = a.until_us > 0, b_timed = b.until_us > 0;
    return a.cause == b.cause && a.classes == b.classes && a_timed == b_timed && a.last_seq + 1ull == b.first_seq;
}

}  // namespace

void ReportedLosses::explain(std::uint16_t node, std::uint64_t first, std::uint64_t last, std::vector<LossRange>& out) {
    std::erase_if(near_, [&](const LossRange& range) { return range.last_seq < first; });
    for (; !ahead_.empty() && ahead_.front().first_seq <= last; ahead_ = ahead_.subspan(1))
        if (ahead_.front().last_seq >= first) near_.push_back(ahead_.front());
    const auto push = [&](std::uint64_t from, std::uint64_t to, LossRange range) {
        range.node = node;
        range.first_seq = static_cast<std::uint32_t>(from);
        range.last_seq = static_cast<std::uint32_t>(to);
        if (out.empty() || !joins(out.back(), range)) return out.push_back(range);
        out.back().last_seq = range.last_seq;
        out.back().until_us = range.until_us;
    };
    std::uint64_t next = first;
    for (const LossRange& range : near_) {
        if (next > last) break;  // others may go on beyond this gap
        if (range.last_seq < next) continue;
        if (range.first_seq > next) push(next, range.first_seq - 1ull, {});
        const std::uint64_t from = std::max<std::uint64_t>(next, range.first_seq);
        const std::uint64_t to = std::min<std::uint64_t>(last, range.last_seq);
        push(from, to, range);  // for a piece the times are still bounds
        next = to + 1;
    }
    if (next <= last) push(next, last, {});
}

namespace {

struct Cursor {
    Assembled& out;
    std::uint64_t next = 0;  // first sequence number not yet accounted for
};

const Event* find(const Stream& stream, std::uint32_t seq) {
    const auto after =
        std::upper_bound(stream.parts.begin(), stream.parts.end(), seq,
                         [](std::uint32_t value, std::span<const Event> part) { return value < part.front().seq; });
    if (after == stream.parts.begin()) return nullptr;
    const auto part = *std::prev(after);
    const std::size_t index = seq - part.front().seq;
    return index < part.size() ? &part[index] : nullptr;
}

// Records that came before: the same ones again, or other ones under the same number.
void count_overlap(Cursor& cursor, std::span<const Event> again) {
    for (const Event& event : again) {
        const Event* const known = find(cursor.out.stream, event.seq);
        if (known == nullptr || *known == event) {
            ++cursor.out.repeated;
        } else {
            ++cursor.out.conflicting;
        }
    }
}

}  // namespace

// The records are looked at now, as they come: later they may have left the host's memory.
void StreamAssembler::add(std::uint32_t first_seq, std::span<const Event> events, std::uint64_t unloaded_us,
                          std::uint64_t came) {
    if (events.empty()) return;
    if (!trace_record::is_placed(first_seq, events)) {  // counted; its range stays a gap
        misplaced_ += events.size();
        return;
    }
    blocks_.push_back({first_seq, events, unloaded_us, came});
}

Assembled StreamAssembler::assemble() const {
    Assembled out;
    out.stream.node = node_;
    out.conflicting = misplaced_;
    std::vector<Block> blocks = blocks_;
    std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.first_seq < b.first_seq; });
    std::vector<LossRange> reported = losses_;
    std::stable_sort(reported.begin(), reported.end(),
                     [](const LossRange& a, const LossRange& b) { return a.first_seq < b.first_seq; });
    ReportedLosses losses(reported);
    Cursor cursor{out};
    for (const Block& block : blocks) {
        if (block.first_seq > cursor.next) losses.explain(node_, cursor.next, block.first_seq - 1ull, out.stream.losses);
        const std::uint64_t end = block.first_seq + static_cast<std::uint64_t>(block.events.size());
        const std::uint64_t known = block.first_seq < cursor.next ? std::min(cursor.next, end) - block.first_seq : 0;
        count_overlap(cursor, block.events.first(known));
        if (known < block.events.size()) {
            out.stream.parts.push_back(block.events.subspan(known));
            out.stream.unloaded_us.push_back(block.unloaded_us);
            out.stream.came.push_back(block.came);
        }
        cursor.next = std::max(cursor.next, end);
    }
    std::uint64_t last_reported = cursor.next;
    for (const LossRange& range : reported) last_reported = std::max<std::uint64_t>(last_reported, range.last_seq + 1ull);
    const std::uint64_t total = std::max<std::uint64_t>(last_reported, total_.value_or(0));
    if (total > cursor.next) losses.explain(node_, cursor.next, total - 1, out.stream.losses);
    out.stream.state = total_ ? StreamState::Finished : StreamState::Open;
    if (total_ && cursor.next > *total_) ++out.conflicting;  // more records than the node says it made
    if (!out.stream.parts.empty()) out.last_time_us = out.stream.parts.back().back().time_us;
    return out;
}

}  // namespace tmon_streams
