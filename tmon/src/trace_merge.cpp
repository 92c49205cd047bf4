#include "tmon/trace_merge.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>

#include "stream_assembler.hpp"

namespace tmon {

using trace_record::BlockPlace;
using trace_record::TraceScan;

namespace {

// A block of a node, from its record `skip` on: those before came with an earlier block.
struct Part {
    const BlockPlace* block;
    std::uint32_t skip;
};

struct Plan {
    std::vector<const BlockPlace*> blocks;
    std::vector<LossRange> reported, losses;
    std::vector<Part> parts;
    std::optional<std::uint32_t> total;
    std::uint64_t left_out = 0;
};

// As StreamAssembler::assemble(), from the places of the blocks alone.
void make(Plan& plan, std::uint16_t node) {
    std::stable_sort(plan.blocks.begin(), plan.blocks.end(), [](auto* a, auto* b) { return a->first_seq < b->first_seq; });
    std::stable_sort(plan.reported.begin(), plan.reported.end(),
                     [](const LossRange& a, const LossRange& b) { return a.first_seq < b.first_seq; });
    std::uint64_t next = 0;
    for (const BlockPlace* block : plan.blocks) {
        const std::uint64_t end = block->first_seq + std::uint64_t{block->count};
        if (!block->placed || end <= next) {
            plan.left_out += block->count;
            continue;
        }
        if (block->first_seq > next) explain_gap(node, next, block->first_seq - 1ull, plan.reported, plan.losses);
        const std::uint64_t known = block->first_seq < next ? next - block->first_seq : 0;
        plan.left_out += known;
        plan.parts.push_back({block, static_cast<std::uint32_t>(known)});
        next = end;
    }
    std::uint64_t total = std::max<std::uint64_t>(next, plan.total.value_or(0));
    for (const LossRange& range : plan.reported) total = std::max<std::uint64_t>(total, range.last_seq + 1ull);
    if (total > next) explain_gap(node, next, total - 1, plan.reported, plan.losses);
    plan.blocks = {};
    plan.reported = {};
}

}  // namespace

class TraceMerge::Cursor {
public:
    Cursor(const TraceScan& scan, const MainClock& clock, std::uint16_t node, Plan plan)
        : scan_(scan), clock_(clock), node_(node), plan_(std::move(plan)) {}

    // False behind the end of the stream.
    bool advance() {
        if (ended_) return false;
        load();
        const std::uint64_t record_us = has_record() ? records_[at_].time_us : last_us_;
        const bool loss_first =
            loss_ < plan_.losses.size() && (!has_record() || plan_.losses[loss_].first_seq < records_[at_].seq);
        const std::uint64_t when = loss_first ? loss_begin(record_us) : record_us;
        if (!unloads_.empty() && (unloads_.top().first <= when || (!loss_first && !has_record()))) {
            give_unload();
        } else if (loss_first) {
            give_loss(when, record_us);
        } else if (has_record()) {
            give_record();
        } else {
            give_end();
        }
        return true;
    }
    const TraceItem& item() const { return item_; }

private:
    using Unload = std::pair<std::uint64_t, std::uint32_t>;  // time, records

    bool has_record() const { return at_ < records_.size(); }
    void load() {
        if (has_record() || part_ == plan_.parts.size()) return;
        const Part part = plan_.parts[part_++];
        scan_.read(*part.block, records_);
        at_ = part.skip;
        if (part.block->unloaded_us > 0)
            unloads_.push({part.block->unloaded_us, static_cast<std::uint32_t>(records_.size() - at_)});
    }
    std::uint64_t loss_begin(std::uint64_t record_us) const {
        const LossRange& loss = plan_.losses[loss_];
        const bool known = loss.until_us > 0;
        const std::uint64_t most = has_record() ? record_us : std::numeric_limits<std::uint64_t>::max();
        return known ? std::clamp(loss.from_us, last_us_, std::max(last_us_, most)) : last_us_;
    }
    void begin(TraceItem::Kind kind, std::uint64_t node_us) {
        item_ = {};
        item_.kind = kind;
        item_.node = node_;
        item_.node_us = item_.until_us = last_us_ = std::max(last_us_, node_us);
        item_.main_ns = item_.until_ns = last_ns_ = std::max(last_ns_, main_of(last_us_));
    }
    std::int64_t main_of(std::uint64_t us) const {
        if (!clock_) return static_cast<std::int64_t>(us) * 1000;
        Event event;
        event.node = node_;
        event.time_us = us;
        event.seq = has_record() ? records_[at_].seq : 0;
        return clock_(event);
    }
    void give_record() {
        begin(TraceItem::Kind::Record, records_[at_].time_us);
        item_.event = records_[at_++];
        item_.event.node = node_;
        item_.node_us = item_.until_us = item_.event.time_us;
    }
    void give_loss(std::uint64_t from, std::uint64_t record_us) {
        begin(TraceItem::Kind::Lost, from);
        item_.loss = plan_.losses[loss_++];
        const std::uint64_t until = item_.loss.until_us > 0 ? item_.loss.until_us : record_us;
        item_.until_us = std::max(until, item_.node_us);
        item_.until_ns = std::max(item_.main_ns, main_of(item_.until_us));
    }
    void give_unload() {
        begin(TraceItem::Kind::Unloaded, unloads_.top().first);
        item_.count = unloads_.top().second;
        unloads_.pop();
    }
    void give_end() {
        begin(TraceItem::Kind::End, last_us_);
        item_.finished = plan_.total.has_value();
        ended_ = true;
    }

    const TraceScan& scan_;
    const MainClock& clock_;
    const std::uint16_t node_;
    Plan plan_;
    std::vector<Event> records_;
    std::size_t at_ = 0, part_ = 0, loss_ = 0;
    std::priority_queue<Unload, std::vector<Unload>, std::greater<>> unloads_;
    std::uint64_t last_us_ = 0;
    std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
    bool ended_ = false;
    TraceItem item_;
};

struct TraceMerge::Later {
    const std::vector<std::unique_ptr<Cursor>>& cursors;
    bool operator()(std::size_t a, std::size_t b) const {
        const std::int64_t left = cursors[a]->item().main_ns, right = cursors[b]->item().main_ns;
        return left != right ? left > right : a > b;
    }
};

TraceMerge::TraceMerge(const TraceScan& scan, std::uint16_t nodes, MainClock clock) : clock_(std::move(clock)) {
    std::vector<Plan> plans(nodes);
    for (const BlockPlace& block : scan.blocks()) {
        if (block.node < nodes) {
            plans[block.node].blocks.push_back(&block);
        } else {
            left_out_ += block.count;
        }
    }
    for (const LossRange& range : scan.losses()) {
        if (range.node < nodes) plans[range.node].reported.push_back(range);
    }
    for (const auto& end : scan.stream_ends()) {
        if (end.node < nodes) plans[end.node].total = end.total_records;
    }
    for (std::uint16_t node = 0; node < nodes; ++node) {
        make(plans[node], node);
        left_out_ += plans[node].left_out;
        losses_.insert(losses_.end(), plans[node].losses.begin(), plans[node].losses.end());
        cursors_.push_back(std::make_unique<Cursor>(scan, clock_, node, std::move(plans[node])));
        cursors_.back()->advance();
        heap_.push_back(node);
    }
    std::make_heap(heap_.begin(), heap_.end(), Later{cursors_});
    if (!heap_.empty()) first_ns_ = cursors_[heap_.front()]->item().main_ns;
}

TraceMerge::~TraceMerge() = default;

const TraceItem* TraceMerge::next() {
    if (gave_) {
        if (cursors_[heap_.back()]->advance()) {
            std::push_heap(heap_.begin(), heap_.end(), Later{cursors_});
        } else {
            heap_.pop_back();
        }
    }
    gave_ = !heap_.empty();
    if (!gave_) return nullptr;
    std::pop_heap(heap_.begin(), heap_.end(), Later{cursors_});
    return &cursors_[heap_.back()]->item();
}

}  // namespace tmon
