#include <tmon_sorted/sort_trace.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <tmon_clocks/common_clock.hpp>
#include <tmon_clocks/controlled_clock.hpp>
#include <tmon_order/causal_merge.hpp>
#include <tmon_sorted/stream_report.hpp>
#include <tmon_streams/trace_merge.hpp>
#include <tmon_streams/trace_store.hpp>

#include "message_order.hpp"

namespace tmon_sorted {
namespace {

using tmon_order::Assumed;
using tmon_order::SortedItem;
using tmon_order::SortedItems;
using tmon_order::SortedRecord;
using tmon_streams::TraceItem;
using trace_record::BlockPlace;
using trace_record::Event;
using trace_record::EventKind;
using Kind = SortedRecord::Kind;

constexpr std::size_t most_contradictions = 100;
constexpr std::uint64_t records_between_looks = 1U << 16;
constexpr std::uint64_t last_number = 0xFFFF'FFFF;  // of a record

// The result of the sort on the fly, in the order of the file.
class ArrivalPass : public SortedItems {
public:
    // `goes_on` is called with the number of records so far; false: the rest is left out.
    ArrivalPass(std::uint16_t nodes, tmon_order::TraceSorter::Options options, std::function<bool(std::uint64_t)> goes_on,
                SortResult& result)
        : goes_on_(std::move(goes_on)),
          result_(result),
          arrival_(nodes),
          clock_(options.clock),
          sorter_(nodes, *this, std::move(options)) {
        result_.streams.resize(nodes);
    }

    void item(const SortedItem& item) override {
        const SortedRecord& order = item.order;
        StreamFigures& stream = result_.streams[order.id.stream];
        if (order.kind == Kind::End) {
            stream.ending = order.ending;
        } else if (order.kind == Kind::Lost) {
            stream.lost += order.last - order.id.number + 1;
            ++result_.losses;
        } else {
            ++stream.records;
            result_.given_up += order.assumed == Assumed::GivenUp ? 1 : 0;
            result_.late += order.late ? 1 : 0;
            stream.drift_ns = order.final_ns - order.raw_ns;
            stream.forced_by = order.forced_by;
        }
    }
    // False: the user wants no more.
    bool go(const std::string& path) {
        const trace_record::TraceScan::Visits visits{
            [this](const BlockPlace& block, std::span<const Event> records) { take(block, records); },
            [this](const trace_record::LossRange& loss) {
                if (loss.node < result_.streams.size()) arrival_.lost(loss.node);
                sorter_.lost(loss);
            },
            [this](const trace_record::StreamEnd& end) { sorter_.ended(end.node, end.total_records); }};
        const trace_record::TraceScan scan(path, visits);
        if (stopped_) return false;
        result_.standings = standings_of(sorter_.streams());
        sorter_.finish();
        result_.standings = with_words(std::move(result_.standings), sorter_.streams());
        result_.sorter = sorter_.counts();
        result_.backwards_at_arrival = arrival_.backwards();
        return true;
    }

private:
    void take(const BlockPlace& block, std::span<const Event> records) {
        if (stopped_) return;
        const std::uint64_t looks = seen_ / records_between_looks;
        seen_ += records.size();
        if (seen_ / records_between_looks > looks && goes_on_ && !goes_on_(seen_)) stopped_ = true;
        if (!block.placed || block.node >= result_.streams.size()) return;
        for (Event event : records) {
            event.node = block.node;
            arrival_.event(event);
            newest_ns_ = std::max(newest_ns_, tmon_streams::time_on(clock_, event));
        }
        sorter_.records(block.node, block.first_seq, records, static_cast<std::uint64_t>(newest_ns_ / 1000));
    }

    const std::function<bool(std::uint64_t)> goes_on_;
    SortResult& result_;
    MessageOrder arrival_;
    std::uint64_t seen_ = 0;
    std::int64_t newest_ns_ = 0;
    bool stopped_ = false;
    const tmon_streams::MainClock clock_;
    tmon_order::TraceSorter sorter_;
};

// Gives the items on, and counts.
class Giver {
public:
    Giver(std::function<bool(std::uint64_t)> goes_on, SortedItems& items, std::uint16_t nodes, SortResult& result)
        : goes_on_(std::move(goes_on)), items_(items), order_(nodes), result_(result) {}

    // False: the user wants no more.
    bool give(SortedItem item) {
        if (stamps_ && item.event != nullptr) stamp(item);
        items_.item(item);
        order_.item(item);
        return item.event == nullptr || ++given_ % records_between_looks != 0 || goes_on_(given_);
    }
    void add_stamps(std::uint16_t nodes) { stamps_.emplace(nodes); }
    void finish() {
        result_.messages = order_.messages();
        result_.backwards = order_.backwards();
    }

private:
    void stamp(SortedItem& item) {
        stamps_->record(item.order.id, item.order.sources(), item.order.shared);
        newest_ = stamps_->stamp(item.order.id);
        item.stamp = &newest_;
    }
    const std::function<bool(std::uint64_t)> goes_on_;
    SortedItems& items_;
    std::optional<tmon_order::OrderStamps> stamps_;
    tmon_order::OrderStamps::Stamp newest_;
    MessageOrder order_;
    SortResult& result_;
    std::uint64_t given_ = 0;
};

SortedItem item_of(const TraceItem& from) {
    SortedItem item;
    SortedRecord& order = item.order;
    order.id = {from.node, 0};
    order.raw_ns = order.final_ns = from.main_ns;
    if (from.kind == TraceItem::Kind::Record) {
        order.id.number = order.last = from.event.seq;
        item.event = &from.event;
    } else if (from.kind == TraceItem::Kind::Lost) {
        order.kind = Kind::Lost;
        order.id.number = from.loss.first_seq;
        order.last = from.loss.last_seq;
        item.loss = &from.loss;
    } else {
        order.kind = Kind::End;
        order.ending = from.finished ? tmon_order::StreamEnding::Finished : tmon_order::StreamEnding::Open;
    }
    return item;
}

// A pass over the trace by cause.
struct CausalPass {
    const tmon_streams::TraceIndex& index;
    std::uint16_t nodes;
    const tmon_order::FirstPass& first;
    const tmon_streams::MainClock& clock;  // raw times
    std::int64_t least_latency_ns;
};

bool by_time(const tmon_streams::TraceIndex& index, std::uint16_t nodes, const tmon_streams::MainClock& clock, Giver& giver) {
    std::vector<std::uint64_t> numbers(nodes, 0);
    tmon_streams::TraceMerge merge(index, nodes, clock);
    while (const TraceItem* from = merge.next()) {
        if (from->kind == TraceItem::Kind::Unloaded) continue;
        SortedItem item = item_of(*from);
        if (item.order.kind == Kind::End) item.order.id.number = numbers[from->node];
        numbers[from->node] = item.order.last + 1;
        if (!giver.give(item)) return false;
    }
    return true;
}

// The trace once more, by cause. `each` returns false to stop.
template <class Each>
bool by_cause(const CausalPass& pass, const tmon_streams::MainClock& clock, const Each& each) {
    tmon_order::CausalMerge merge(pass.index, pass.nodes, pass.first.released,
                                  {.rules = pass.first.rules, .clock = clock, .least_latency_ns = pass.least_latency_ns});
    while (const tmon_order::CausalMerge::Item* next = merge.next()) {
        SortedItem item = item_of(*next->item);
        item.order = next->order;
        if (!each(item)) return false;
    }
    return true;
}

// The clock contradicts no cause. So in a sort by it no node drifts, and the final times are those of the clock.
bool by_spread_clock(const CausalPass& pass, const std::function<bool(std::uint64_t)>& goes_on, Giver& giver,
                     SortResult& result) {
    tmon_clocks::ControlledClock spread(pass.nodes, pass.least_latency_ns);
    std::uint64_t seen = 0;
    const bool whole = by_cause(pass, pass.clock, [&](const SortedItem& item) {
        if (item.event == nullptr) return true;
        spread.record(item.order.id, item.order.raw_ns, item.order.sources(), item.order.shared);
        return ++seen % records_between_looks != 0 || goes_on(seen);
    });
    if (!whole) return false;
    spread.finish();
    result.spread = SpreadFigures{spread.jumps(), spread.most_shift_ns(), spread.mean_shift_ns()};
    for (std::uint32_t node = 0; node < pass.nodes; ++node) {
        result.streams[node].drift_ns = spread.shift_ns(node, last_number);
        result.streams[node].forced_by = spread.forced_by(node, last_number);
    }
    const auto clock = [&](const Event& event) {
        return tmon_streams::time_on(pass.clock, event) + spread.shift_ns(event.node, event.seq);
    };
    return by_cause(pass, clock, [&](SortedItem& item) {
        SortedRecord& order = item.order;
        if (order.kind == Kind::Record) order.raw_ns -= spread.shift_ns(order.id.stream, order.id.number);
        order.forced_by = spread.forced_by(order.id.stream, order.id.number);
        if (order.source) order.source->raw_ns -= spread.shift_ns(order.source->id.stream, order.source->id.number);
        return giver.give(item);
    });
}

class ByArrival {
public:
    ByArrival(const tmon_streams::MainClock& clock, std::uint16_t nodes, Giver& giver)
        : clock_(clock), nodes_(nodes), giver_(giver), newest_ns_(nodes, 0) {}
    bool go(const std::string& path) {
        const trace_record::TraceScan scan(
            path, trace_record::TraceScan::Visits{
                      [this](const BlockPlace& block, std::span<const Event> records) { take(block, records); },
                      [this](const trace_record::LossRange& loss) { lost(loss); },
                      [this](const trace_record::StreamEnd& end) { ended(end); }});
        return goes_on_;
    }

private:
    void give(const SortedItem& item) {
        if (goes_on_) goes_on_ = giver_.give(item);
    }
    void take(const BlockPlace& block, std::span<const Event> records) {
        if (!block.placed || block.node >= nodes_) return;
        TraceItem item;
        item.node = block.node;
        for (const Event& event : records) {
            item.event = event;
            item.event.node = block.node;
            item.main_ns = newest_ns_[block.node] = tmon_streams::time_on(clock_, item.event);
            give(item_of(item));
        }
    }
    void lost(const trace_record::LossRange& loss) {
        if (loss.node >= nodes_) return;
        TraceItem item;
        item.kind = TraceItem::Kind::Lost;
        item.node = loss.node;
        item.loss = loss;
        item.main_ns = newest_ns_[loss.node];
        give(item_of(item));
    }
    void ended(const trace_record::StreamEnd& end) {
        if (end.node >= nodes_) return;
        TraceItem item;
        item.kind = TraceItem::Kind::End;
        item.node = end.node;
        item.finished = true;
        item.main_ns = newest_ns_[end.node];
        SortedItem sorted = item_of(item);
        sorted.order.id.number = end.total_records;
        give(sorted);
    }

    const tmon_streams::MainClock& clock_;
    const std::uint16_t nodes_;
    Giver& giver_;
    std::vector<std::int64_t> newest_ns_;  // of each node: losses and ends have no time of their own here
    bool goes_on_ = true;
};

void take_first_pass(const tmon_order::FirstPass& first, SortResult& result) {
    result.records = first.counts.records;
    result.lost = first.counts.lost;
    result.left_out = first.left_out;
    result.receives_alone = first.counts.sources_missing;
    result.sends_alone = first.counts.targets_missing;
    result.contradicting = first.counts.contradictions;
    for (std::uint32_t node = 0; node < first.released.size(); ++node) {
        for (const tmon_order::Released& one : first.released[node]) {
            ++result.assumed[static_cast<std::size_t>(one.assumed)];
            const bool contradicts = one.assumed == Assumed::Cycle || one.assumed == Assumed::NeverBegan;
            if (contradicts && result.contradictions.size() < most_contradictions)
                result.contradictions.push_back({{node, one.seq}, one.contradicted});
        }
    }
}

}  // namespace

SortResult sort_trace(const SortOptions& options, SortedItems& items) {
    SortResult result{.trace = options.trace, .by = options.by};
    result.assumed.resize(static_cast<std::size_t>(Assumed::Cycle) + 1);
    std::vector<Event> interrupts;
    const tmon_streams::TraceIndex index(options.trace, [&](const BlockPlace& block, std::span<const Event> records) {
        for (const Event& event : records) {
            if (event.kind != EventKind::Synchronise) continue;
            interrupts.push_back(event);
            interrupts.back().node = block.node;
        }
    });
    const trace_record::TraceScan& scan = index.scan();
    result.status = scan.status();
    const tmon_streams::Manifest manifest =
        tmon_streams::read_manifest(options.trace, tmon_streams::whole_manifest(scan.manifest(), scan.closing()));
    const std::uint16_t nodes = manifest.expected_nodes;
    if (!options.adjust) interrupts.clear();
    const tmon_clocks::NamedClock clock = tmon_clocks::common_clock(std::move(interrupts), nodes, manifest.interrupt_master);
    result.clock = clock.name;
    // Passes: as it arrived, by time, perhaps one for the controlled clock, and the one that gives the items.
    const bool amortise = options.amortise && options.by == SortBy::Cause;
    const std::uint64_t of = scan.records(), passes = amortise ? 4 : 3;
    const auto goes_on = [&](std::uint64_t done) { return !options.progress || options.progress(done, passes * of); };
    result.interrupted = true;
    ArrivalPass arrival(
        nodes, {.clock = clock.clock, .least_latency_ns = options.least_latency_ns, .rules = {}, .patience = options.patience},
        goes_on, result);
    if (!arrival.go(options.trace)) return result;
    const tmon_order::FirstPass first =
        tmon_order::first_pass(index, nodes, clock.clock, [&](std::uint64_t done) { return goes_on(of + done); });
    if (!first.whole) return result;
    take_first_pass(first, result);
    Giver giver([&](std::uint64_t done) { return goes_on((passes - 1) * of + done); }, items, nodes, result);
    if (options.stamps && options.by == SortBy::Cause) giver.add_stamps(nodes);
    bool whole = false;
    if (options.by == SortBy::Time) {
        whole = by_time(index, nodes, clock.clock, giver);
    } else if (options.by == SortBy::Arrival) {
        whole = ByArrival(clock.clock, nodes, giver).go(options.trace);
    } else {
        const CausalPass pass{index, nodes, first, clock.clock, options.least_latency_ns};
        whole = amortise ? by_spread_clock(
                               pass, [&](std::uint64_t done) { return goes_on(2 * of + done); }, giver, result)
                         : by_cause(pass, clock.clock, [&](const SortedItem& item) { return giver.give(item); });
    }
    result.interrupted = !whole;
    giver.finish();
    return result;
}

}  // namespace tmon_sorted
