// The sorter on traces of random farms, as they arrive and as they are stored. LogicalTime, which has the whole trace, says
// which messages belong together.
#include <tmon_order/trace_sorter.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include <tmon_order/causal_merge.hpp>
#include <tmon_order/logical_time.hpp>
#include <tmon_streams/trace_store.hpp>

#include "abstract_farm.hpp"
#include "farm_trace.hpp"

namespace tmon_order {
namespace {

using testing_support::FarmTrace;
using testing_support::TestFolder;
using trace_record::Event;
using trace_record::LossCause;
using trace_record::LossRange;

struct SortedCopy {
    SortedRecord order;
    Event event;
    LossRange loss;
};

struct KeptItems : SortedItems {
    void item(const SortedItem& item) override {
        items.push_back({item.order, item.event ? *item.event : Event{}, item.loss ? *item.loss : LossRange{}});
    }
    std::vector<SortedCopy> items;
};

// One node's records as they travelled: blocks and losses in the order of their numbers.
struct Piece {
    std::uint16_t node = 0;
    std::vector<Event> block;
    std::optional<LossRange> loss{};
};

struct Arrivals {
    std::uint16_t nodes = 0;
    std::vector<Piece> pieces;  // of each node in order; nodes one after the other
    std::vector<std::uint32_t> totals;
    std::vector<bool> finished;

    tmon_streams::Trace trace() const {
        tmon_streams::Collector collector(nodes);
        for (const Piece& piece : pieces) {
            if (piece.loss) collector.dropped(*piece.loss);
            if (!piece.loss) collector.receive(piece.node, piece.block.front().seq, piece.block);
        }
        for (std::uint16_t node = 0; node < nodes; ++node) {
            if (finished[node]) collector.end(node, totals[node]);
        }
        return collector.finish();
    }
};

// Clocks of the nodes that differ, so that raw times contradict the order of messages.
Arrivals random_arrivals(std::uint32_t seed, double lost_share) {
    std::mt19937 random(seed);
    testing_support::FarmScenario scenario;
    scenario.spec = {static_cast<std::uint32_t>(3 + seed % 6), farm_spec::TreeKind::Binary, 30, 2, 3};
    scenario.seed = seed;
    FarmTrace farm = testing_support::run_abstract_farm(scenario).records;
    Arrivals made;
    made.nodes = static_cast<std::uint16_t>(farm.records().size());
    for (std::uint16_t node = 0; node < made.nodes; ++node) {
        std::vector<Event>& records = farm.records()[node];
        const std::uint64_t ahead = random() % 40;
        made.totals.push_back(static_cast<std::uint32_t>(records.size()));
        made.finished.push_back(random() % 4 != 0);
        for (std::size_t at = 0; at < records.size();) {
            const std::size_t count = std::min<std::size_t>(1 + random() % 5, records.size() - at);
            Piece piece{
                node,
                {records.begin() + static_cast<std::ptrdiff_t>(at), records.begin() + static_cast<std::ptrdiff_t>(at + count)}};
            for (Event& event : piece.block) event.time_us += ahead;
            if (std::bernoulli_distribution(lost_share)(random)) {
                LossRange loss;
                loss.node = node;
                loss.first_seq = piece.block.front().seq;
                loss.last_seq = piece.block.back().seq;
                loss.cause = LossCause::BufferFull;
                piece.loss = loss;
            }
            made.pieces.push_back(std::move(piece));
            at += count;
        }
    }
    return made;
}

enum class Way : std::uint8_t { NodesInOrder, AnyOrder };

std::vector<const Piece*> on_the_way(const Arrivals& arrivals, Way way, std::mt19937& random) {
    std::vector<const Piece*> order;
    for (const Piece& piece : arrivals.pieces) order.push_back(&piece);
    std::shuffle(order.begin(), order.end(), random);
    if (way == Way::NodesInOrder) {
        std::vector<std::vector<const Piece*>> of_node(arrivals.nodes);
        for (const Piece& piece : arrivals.pieces) of_node[piece.node].push_back(&piece);
        std::vector<std::size_t> next(arrivals.nodes, 0);
        for (const Piece*& piece : order) piece = of_node[piece->node][next[piece->node]++];
    }
    return order;
}

void feed(TraceSorter& sorter, const Arrivals& arrivals, const std::vector<const Piece*>& order) {
    for (const Piece* piece : order) {
        if (piece->loss) {
            sorter.lost(*piece->loss);
        } else {
            sorter.records(piece->node, piece->block.front().seq, piece->block, 0);
        }
    }
    for (std::uint16_t node = 0; node < arrivals.nodes; ++node) {
        if (arrivals.finished[node]) sorter.ended(node, arrivals.totals[node]);
    }
    sorter.finish();
}

using Places = std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t>;

// Each record once, each node in order, and each receive after its send.
void expect_causal(const std::vector<SortedCopy>& items, const tmon_streams::Trace& trace, const std::string& what) {
    const LogicalTime time(trace);
    Places places;
    std::vector<std::uint32_t> next(trace.streams.size(), 0);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const SortedCopy& item = items[i];
        if (item.order.kind == SortedRecord::Kind::End) continue;
        ASSERT_EQ(item.order.id.number, next[item.order.id.stream]) << what;
        next[item.order.id.stream] = static_cast<std::uint32_t>(item.order.last + 1);
        if (item.order.kind == SortedRecord::Kind::Record) places[{item.event.node, item.event.seq}] = i;
    }
    ASSERT_EQ(places.size(), trace.size()) << what;
    std::size_t alone = 0;
    for (std::uint16_t node = 0; node < trace.streams.size(); ++node) {
        for (std::uint32_t index = 0; index < trace.streams[node].size(); ++index) {
            const Event& event = time.event({node, index});
            if (event.kind != trace_record::EventKind::Receive) continue;
            const auto send = time.partner({node, index});
            const SortedCopy& item = items[places.at({node, event.seq})];
            ASSERT_EQ(item.order.assumed == Assumed::Nothing, send.has_value()) << what << " n" << node << ":" << event.seq;
            alone += send ? 0 : 1;
            if (!send) continue;
            const Event& sent = time.event(*send);
            ASSERT_LT(places.at({sent.node, sent.seq}), places.at({node, event.seq})) << what;
            ASSERT_TRUE(item.order.source.has_value()) << what;
            ASSERT_EQ(item.order.source->id, (RecordId{sent.node, sent.seq})) << what;
            ASSERT_GE(item.order.final_ns, item.order.source->final_ns) << what;
        }
    }
    ASSERT_EQ(alone, time.unmatched_receives().size()) << what;
}

TEST(TraceSorter, ReportsEveryRecordOnceAndNoReceiveBeforeItsSend) {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        const Arrivals arrivals = random_arrivals(seed, (seed % 6) * 0.1);
        std::mt19937 random(seed);
        for (const Way way : {Way::NodesInOrder, Way::AnyOrder}) {
            KeptItems kept;
            TraceSorter sorter(arrivals.nodes, kept, {});
            feed(sorter, arrivals, on_the_way(arrivals, way, random));
            ASSERT_NO_FATAL_FAILURE(expect_causal(kept.items, arrivals.trace(), "seed " + std::to_string(seed)));
            ASSERT_EQ(sorter.counts().window + sorter.held_back(), 0u);
            ASSERT_EQ(sorter.counts().contradictions, 0u);
        }
    }
}

// All that a line of the output shows.
using Shown = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::int64_t, Assumed, std::optional<RecordId>>;

std::vector<Shown> merged(const std::string& path, std::uint16_t nodes, std::vector<SortedCopy>& items) {
    const tmon_streams::TraceIndex index(path);
    FirstPass first = first_pass(index, nodes, {});
    EXPECT_EQ(first.left_out, 0u);
    CausalMerge merge(index, nodes, std::move(first.released), {.rules = first.rules});
    std::vector<Shown> shown;
    items.clear();
    while (const CausalMerge::Item* next = merge.next()) {
        const SortedRecord& order = next->order;
        items.push_back({order, next->item->event, next->item->loss});
        shown.emplace_back(order.id.stream, order.id.number, order.last, order.final_ns, order.assumed, order.forced_by);
    }
    return shown;
}

void store(const Arrivals& arrivals, const std::vector<const Piece*>& order, const std::string& path) {
    trace_record::TraceFileWriter writer(path, R"({"expected_nodes":)" + std::to_string(arrivals.nodes) + "}", {.force = true});
    for (const Piece* piece : order) {
        if (piece->loss) {
            writer.loss(*piece->loss);
        } else {
            writer.events(piece->node, piece->block.front().seq, piece->block);
        }
    }
    for (std::uint16_t node = 0; node < arrivals.nodes; ++node) {
        if (arrivals.finished[node]) writer.stream_end(node, arrivals.totals[node]);
    }
    writer.close();
}

TEST(CausalMerge, GivesOneOrderWhateverTheArrivalAndFinalTimesNeverRunBackwards) {
    const TestFolder folder;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        const Arrivals arrivals = random_arrivals(seed, (seed % 6) * 0.1);
        std::mt19937 random(seed);
        std::vector<Shown> first;
        for (const Way way : {Way::NodesInOrder, Way::AnyOrder, Way::NodesInOrder}) {
            store(arrivals, on_the_way(arrivals, way, random), folder.path("data.mwt"));
            std::vector<SortedCopy> items;
            const std::vector<Shown> shown = merged(folder.path("data.mwt"), arrivals.nodes, items);
            if (first.empty()) first = shown;
            ASSERT_EQ(shown, first) << "seed " << seed;
            ASSERT_NO_FATAL_FAILURE(expect_causal(items, arrivals.trace(), "seed " + std::to_string(seed)));
            std::int64_t before = 0;
            for (const SortedCopy& item : items) {
                if (item.order.kind != SortedRecord::Kind::Record) continue;
                ASSERT_GE(item.order.final_ns, before) << "seed " << seed;
                before = item.order.final_ns;
            }
        }
    }
}

}  // namespace
}  // namespace tmon_order
