#include <tmon_streams/trace_merge.hpp>

#include <algorithm>

namespace tmon_streams {

struct TraceMerge::Later {
    const std::vector<StreamCursor>& cursors;
    bool operator()(std::size_t a, std::size_t b) const {
        const std::int64_t left = cursors[a].item().main_ns, right = cursors[b].item().main_ns;
        return left != right ? left > right : a > b;
    }
};

TraceMerge::TraceMerge(const TraceIndex& index, std::uint16_t nodes, MainClock clock)
    : clock_(std::move(clock)), foreign_(index.records_from(nodes)) {
    for (std::uint16_t node = 0; node < nodes; ++node) {
        cursors_.emplace_back(index, clock_, node);
        cursors_.back().advance();
        heap_.push_back(node);
    }
    std::make_heap(heap_.begin(), heap_.end(), Later{cursors_});
    if (!heap_.empty()) first_ns_ = cursors_[heap_.front()].item().main_ns;
}

TraceMerge::~TraceMerge() = default;

std::uint64_t TraceMerge::left_out() const {
    std::uint64_t sum = foreign_;
    for (const StreamCursor& cursor : cursors_) sum += cursor.left_out();
    return sum;
}

const TraceItem* TraceMerge::next() {
    if (gave_) {
        if (cursors_[heap_.back()].advance()) {
            std::push_heap(heap_.begin(), heap_.end(), Later{cursors_});
        } else {
            heap_.pop_back();
        }
    }
    gave_ = !heap_.empty();
    if (!gave_) return nullptr;
    std::pop_heap(heap_.begin(), heap_.end(), Later{cursors_});
    return &cursors_[heap_.back()].item();
}

}  // namespace tmon_streams
