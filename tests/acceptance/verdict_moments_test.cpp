// The growing analysis at random moments of the thesis' sessions. It is fed in causal order, and gets unordered what the sorter
// holds back. It says what `detrek` says of the trace file cut there, byte for byte.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_detrek/ordered_analysis.hpp>
#include <tmon_streams/collector.hpp>
#include <tmon_streams/trace_store.hpp>

namespace {

using trace_record::Event;
using trace_record::LossRange;

// One thing that the host received.
struct Arrival {
    std::uint16_t node = 0;
    std::vector<Event> events{};
    std::optional<LossRange> loss{};
    std::optional<std::uint32_t> total{};
    std::uint64_t came_us = 0;
};

struct Arrivals final : tmon_streams::TraceFeed {
    void records(std::uint16_t node, std::uint32_t, std::span<const Event> events, std::uint64_t came_us) override {
        all.push_back({.node = node, .events = {events.begin(), events.end()}, .came_us = came_us});
    }
    void lost(const LossRange& range) override { all.push_back({.node = range.node, .loss = range}); }
    void ended(std::uint16_t node, std::uint32_t total) override { all.push_back({.node = node, .total = total}); }
    std::vector<Arrival> all;
};

void feed(tmon_streams::Collector& collector, const Arrival& arrival) {
    if (arrival.loss) collector.dropped(*arrival.loss);
    if (arrival.total) collector.end(arrival.node, *arrival.total);
    if (!arrival.events.empty())
        collector.receive(arrival.node, arrival.events.front().seq, arrival.events, 0, arrival.came_us);
}

void write(trace_record::TraceFileWriter& file, const Arrival& arrival) {
    if (arrival.loss) file.loss(*arrival.loss);
    if (arrival.total) file.stream_end(arrival.node, *arrival.total);
    if (!arrival.events.empty()) file.events(arrival.node, arrival.events.front().seq, arrival.events);
    file.flush();
}

// VERDICT_MOMENTS: of each session.
unsigned moments() {
    const char* const wanted = std::getenv("VERDICT_MOMENTS");
    return wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 60;
}

class VerdictMoments : public testing::TestWithParam<const char*> {};

TEST_P(VerdictMoments, EqualDetrekOfTheTraceThatIsCutThere) {
    const auto scenario =
        scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/" + std::string(GetParam()) + ".yaml", {}, {});
    const auto nodes = static_cast<std::uint16_t>(scenario.farm.nodes);
    Arrivals arrivals;
    oracle::SessionResult result;
    session::SessionHooks hooks;
    hooks.feed = &arrivals;
    oracle::run_session(scenario, result, hooks);
    std::mt19937 random(7);
    std::vector<std::size_t> cuts(moments());
    for (std::size_t& cut : cuts) cut = std::uniform_int_distribution<std::size_t>(0, arrivals.all.size())(random);
    std::sort(cuts.begin(), cuts.end());

    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("moments_" + std::string(GetParam()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    trace_record::TraceFileWriter file((folder / "whole.mwt").string(), "{\"expected_nodes\": " + std::to_string(nodes) + "}");
    tmon_detrek::OrderedAnalysis ordered(scenario.farm);
    tmon_streams::Collector collector(nodes, tmon_streams::Collector::Keep::Records, &ordered);
    tmon_detrek::GrowingAnalysis as_it_came(scenario.farm);
    tmon_streams::Collector beside(nodes, tmon_streams::Collector::Keep::Nothing, &as_it_came);
    std::size_t done = 0;
    unsigned faults = 0;
    for (const std::size_t cut : cuts) {
        for (; done < cut; ++done) {
            feed(collector, arrivals.all[done]);
            feed(beside, arrivals.all[done]);
            write(file, arrivals.all[done]);
        }
        file.flush();
        const std::string cut_there = (folder / "cut.mwt").string();
        std::filesystem::copy_file(file.growing_path(), cut_there, std::filesystem::copy_options::overwrite_existing);
        const tmon_streams::StoredTrace stored = tmon_streams::load_trace(cut_there);
        const tmon_detrek::DetrekResult expected = tmon_detrek::report_detrek(stored.trace, scenario.farm, {});
        const auto all = [&] { return collector.finish(tmon_streams::SessionEnd::Cut); };
        const tmon_detrek::DetrekResult said = ordered.so_far().report(all(), all);
        ASSERT_EQ(said.text, expected.text) << "after " << cut << " arrivals";
        ASSERT_EQ(said.json, expected.json) << "after " << cut << " arrivals";
        // The look of a farm under way, too, does not depend on the order.
        const tmon_detrek::Moment moment{
            arrivals.all.empty() ? 0 : arrivals.all[std::min(cut, arrivals.all.size() - 1)].came_us,
            [](std::uint64_t) { return std::uint64_t{20'000}; }};
        ASSERT_EQ(so_far_json(ordered.so_far().so_far(moment, all), scenario.farm),
                  so_far_json(as_it_came.so_far(moment, all), scenario.farm));
        ASSERT_EQ(ordered.so_far().longest_way_us(), as_it_came.longest_way_us());
        faults += said.exit_code != 0 ? 1 : 0;
    }
    EXPECT_GT(ordered.in_order(), 0U);
    std::printf("%s: %u of %zu moments with a fault or an unknown answer; %llu records in causal order, %llu unordered\n",
                GetParam(), faults, cuts.size(), static_cast<unsigned long long>(ordered.in_order()),
                static_cast<unsigned long long>(ordered.unordered()));
    std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Sessions, VerdictMoments, testing::Values("dc8", "dc16_late", "dc16_good", "chain6_bug"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
