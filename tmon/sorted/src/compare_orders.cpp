// Runs and stored traces through OrderComparison, once by the nodes' clocks and once by one clock.
#include <algorithm>
#include <limits>
#include <utility>

#include <tmon_sorted/order_comparison.hpp>
#include <tmon_streams/trace_store.hpp>
#include <trace_record/trace_scan.hpp>

namespace tmon_sorted {
namespace {

using tmon_order::MergeKind;
using trace_record::Event;

// The truth about clocks and delivery, from the records as they come.
class TruthSeeker final : public tmon_streams::TraceFeed {
public:
    TruthSeeker(std::uint16_t nodes, const OnClock::Clock& true_ns) : nodes_(nodes), true_ns_(true_ns) {}
    void records(std::uint16_t node, std::uint32_t, std::span<const Event> events, std::uint64_t came_us) override {
        if (node >= nodes_.size()) return;
        for (const Event& event : events) {
            Node& of = nodes_[node];
            const double true_us = static_cast<double>(true_ns_(node, event.time_us)) * 1e-3;
            const double ahead = static_cast<double>(event.time_us) - true_us;
            if (of.records == 0) of.ahead_first = ahead;
            of.ahead_last = ahead;
            const double took = std::max(0.0, static_cast<double>(came_us) - true_us);
            ++of.records;
            of.took += took;
            most_ = std::max(most_, took);
        }
    }
    void lost(const trace_record::LossRange&) override {}
    void ended(std::uint16_t, std::uint32_t) override {}

    OrderTruth truth() const {
        OrderTruth truth;
        truth.most_delivery_us = most_;
        double records = 0, took = 0, first[2] = {}, last[2] = {};
        bool any = false;
        for (const Node& node : nodes_) {
            if (node.records == 0) continue;
            const double mean = node.took / node.records;
            const bool begins = !std::exchange(any, true);
            const auto widen = [begins](double(&range)[2], double value) {
                range[0] = begins ? value : std::min(range[0], value);
                range[1] = begins ? value : std::max(range[1], value);
            };
            widen(first, node.ahead_first);
            widen(last, node.ahead_last);
            truth.least_node_us = begins ? mean : std::min(truth.least_node_us, mean);
            truth.most_node_us = std::max(truth.most_node_us, mean);
            records += node.records;
            took += node.took;
        }
        truth.clocks_apart_us = first[1] - first[0];
        truth.clocks_apart_at_end_us = last[1] - last[0];
        truth.mean_delivery_us = records > 0 ? took / records : 0;
        return truth;
    }

private:
    struct Node {
        double records = 0, took = 0, ahead_first = 0, ahead_last = 0;
    };
    std::vector<Node> nodes_;
    const OnClock::Clock& true_ns_;
    double most_ = 0;
};

template <class Play>
ComparedOrders compare(std::uint16_t nodes, const CompareOptions& options, Play play) {
    OrderComparison comparison(nodes, options.merges, true, options.patience);
    play(comparison);
    ComparedOrders result = comparison.finish();
    if (!options.true_ns) return result;
    // A merge that waits for all is exact on one clock, so it shows what the records themselves have.
    std::vector<MergeKind> merges = options.merges;
    merges.push_back(MergeKind::Wait);
    OrderComparison on_one_clock(nodes, merges, false);
    OnClock feed(on_one_clock, options.true_ns);
    play(feed);
    const ComparedOrders again = on_one_clock.finish();
    // The sort by cause looks at no clock.
    result.orders.front().backwards_on_one_clock = result.orders.front().backwards;
    for (std::size_t i = 0; i + 1 < again.orders.size(); ++i)
        result.orders[i + 1].backwards_on_one_clock = again.orders[i].backwards;
    TruthSeeker seeker(nodes, options.true_ns);
    play(seeker);
    result.truth = seeker.truth();
    result.truth->recorded_backwards = again.orders.back().backwards;
    return result;
}

}  // namespace

std::vector<MergeKind> all_merges() {
    std::vector<MergeKind> all;
    for (std::size_t kind = 0; kind < tmon_order::merge_kinds; ++kind) all.push_back(static_cast<MergeKind>(kind));
    return all;
}

ComparedOrders compare_orders(const ArrivalLog& log, std::uint16_t nodes, const CompareOptions& options) {
    return compare(nodes, options, [&log](tmon_streams::TraceFeed& feed) { log.play(feed); });
}

ComparedOrders compare_orders(const std::string& trace, const CompareOptions& options) {
    const trace_record::TraceScan all(trace);
    const std::uint16_t nodes =
        tmon_streams::read_manifest(trace, tmon_streams::whole_manifest(all.manifest(), all.closing())).expected_nodes;
    std::string status;
    const std::uint64_t passes = options.true_ns ? 3 : 1;
    std::uint64_t done = 0;
    bool stopped = false;
    ComparedOrders result = compare(nodes, options, [&](tmon_streams::TraceFeed& feed) {
        std::uint64_t blocks = 0;  // each is a moment of its own
        const trace_record::TraceScan scan(
            trace, trace_record::TraceScan::Visits{
                       [&](const trace_record::BlockPlace& block, std::span<const Event> events) {
                           if (block.placed && !stopped) feed.records(block.node, block.first_seq, events, ++blocks);
                           done += events.size();
                           stopped = stopped || (options.progress && !options.progress(done, passes * all.records()));
                       },
                       [&](const trace_record::LossRange& loss) { feed.lost(loss); },
                       [&](const trace_record::StreamEnd& end) { feed.ended(end.node, end.total_records); }});
        status = scan.status();
    });
    result.interrupted = stopped;
    result.timed = false;
    result.status = status;
    if (result.truth) result.truth->mean_delivery_us = result.truth->most_delivery_us = 0;
    return result;
}

}  // namespace tmon_sorted
