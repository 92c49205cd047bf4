#include "stream_walk.hpp"

#include <algorithm>
#include <utility>

namespace tmon_streams {

StreamWalk::StreamWalk(const TraceIndex& index, std::uint16_t node)
    : node_(node), blocks_(index, node), reported_(index.losses(node)), total_(index.total(node)) {
    for (const LossRange& range : index.losses(node))
        highest_reported_ = std::max<std::uint64_t>(highest_reported_, range.last_seq + 1ULL);
}

std::optional<StreamWalk::Part> StreamWalk::next(std::vector<LossRange>& losses) {
    while (const trace_record::BlockPlace* block = blocks_.next()) {
        const std::uint64_t end = block->first_seq + std::uint64_t{block->count};
        if (!block->placed || end <= next_) {
            left_out_ += block->count;
            continue;
        }
        if (block->first_seq > next_) reported_.explain(node_, next_, block->first_seq - 1ULL, losses);
        const std::uint64_t known = block->first_seq < next_ ? next_ - block->first_seq : 0;
        left_out_ += known;
        next_ = end;
        return Part{block, static_cast<std::uint32_t>(known)};
    }
    const std::uint64_t total = std::max<std::uint64_t>({next_, total_.value_or(0), highest_reported_});
    if (total > next_) reported_.explain(node_, std::exchange(next_, total), total - 1, losses);
    return {};
}

}  // namespace tmon_streams
