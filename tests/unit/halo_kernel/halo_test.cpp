// The halo exchange on a machine. Its arithmetic is that of the sequential program, bit for bit. By the true events each bug
// stops it where it should.
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>

#include <ground_truth/truth.hpp>
#include <halo_kernel/halo.hpp>

#include "child_process.hpp"
#include "test_multicomputer.hpp"

namespace {

using farm_spec::FarmSpec;
using farm_spec::TreeKind;
using halo_kernel::BugKind;
using halo_kernel::HaloBug;
using halo_kernel::HaloSettings;
using halo_kernel::Process;
using test_support::NodeId;
using test_support::SimTime;
using trace_record::EventKind;

NodeId node(std::size_t number) {
    return NodeId(static_cast<NodeId::value_type>(number));
}

FarmSpec spec_of(TreeKind tree, std::uint32_t nodes, const HaloSettings& settings) {
    return {.nodes = nodes, .tree = tree, .tasks = settings.steps + 1, .model = "halo"};
}

HaloSettings settings_of(std::uint32_t steps, std::uint32_t cells, std::vector<HaloBug> bugs = {}) {
    return {.steps = steps, .cells = cells, .step = SimTime::us(500), .bugs = std::move(bugs)};
}

class TestHalo : public test_support::TestMulticomputer {
public:
    TestHalo(const topologies::MachineDescription& machine, const FarmSpec& config, HaloSettings settings,
             std::uint64_t seed = 1)
        : TestMulticomputer(machine),
          halo({.config = config,
                .settings = std::move(settings),
                .seed = seed,
                .program_bytes = 1000,
                .process_stack = 1000,
                .witnesses = {&truth},
                .host = box.host_id()}) {
        box.start_at_once();
        first_ = halo.first();
        others_ = halo.others();
        for (const NodeId on : config.leaves_first()) {
            const auto& program = on.value() == 0 ? first_ : others_;
            box.kernel(on).create({"halo", trollius_os::Priority::Low, 0, program.stack_bytes, program.code({})});
        }
    }
    bool run(SimTime limit = SimTime::s(5)) {
        return run_until([this] { return halo.result().finished; }, limit);
    }
    // Sends and receives of a node, by exchange and peer.
    std::set<std::pair<std::uint32_t, std::uint16_t>> done(std::uint16_t on, EventKind kind) const {
        std::set<std::pair<std::uint32_t, std::uint16_t>> all;
        for (const auto& event : truth.events()) {
            if (event.node == on && event.kind == kind) all.emplace(event.task, event.peer);
        }
        return all;
    }

    ground_truth::Truth truth;
    halo_kernel::Halo halo;

private:
    trollius_os::Program first_, others_;
};

// The same on one processor.
std::vector<std::vector<double>> sequential(const FarmSpec& config, const HaloSettings& settings, std::uint64_t seed) {
    std::vector<std::vector<double>> u(config.nodes, std::vector<double>(settings.cells));
    for (std::size_t n = 0; n < u.size(); ++n)
        for (std::uint32_t c = 0; c < settings.cells; ++c) u[n][c] = halo_kernel::initial_value(seed, node(n), c);
    for (std::uint32_t step = 0; step < settings.steps; ++step) {
        const auto before = u;
        for (std::size_t n = 0; n < u.size(); ++n) {
            std::set<std::uint16_t> neighbours;
            for (const NodeId child : config.children(node(n))) neighbours.insert(child.value());
            if (const auto parent = config.parent(node(n))) neighbours.insert(parent->value());
            for (std::uint32_t c = 0; c < settings.cells; ++c) {
                double sum = 0;
                for (const std::uint16_t other : neighbours) sum += before[other][c] - before[n][c];
                u[n][c] = before[n][c] + halo_kernel::diffusion * sum;
            }
        }
    }
    return u;
}

void expect_same_as_sequential(const topologies::MachineDescription& machine, const FarmSpec& config,
                               const HaloSettings& settings) {
    TestHalo run(machine, config, settings, 7);
    ASSERT_TRUE(run.run());
    const auto expected = sequential(config, settings, 7);
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < config.nodes; ++n) {
        EXPECT_THAT(run.halo.cells(node(n)), testing::ElementsAreArray(expected[n])) << "n" << n;
        sum += halo_kernel::checksum(node(n), expected[n]);
    }
    char digits[32];
    std::snprintf(digits, sizeof digits, "Checksum = %016llx\n", static_cast<unsigned long long>(sum));
    EXPECT_THAT(run.printed, testing::HasSubstr(digits));
    // Every edge has both messages of every exchange, sent and received.
    EXPECT_EQ(run.truth.moved(), std::uint64_t{4} * (config.nodes - 1) * (settings.steps + 1));
    for (std::size_t n = 0; n < config.nodes; ++n) EXPECT_EQ(run.box.kernel(node(n)).dropped_damaged(), 0u);
}

HaloBug bug(BugKind kind, Process process, std::size_t on, std::uint32_t step, std::size_t to = 0) {
    return {.kind = kind, .process = process, .node = node(on), .step = step, .to = node(to)};
}

// A chain of four nodes with a bug, given a second: it did not end.
void expect_stop(const HaloBug& planted, const std::function<void(TestHalo&)>& look) {
    const HaloSettings settings = settings_of(6, 8, {planted});
    TestHalo run(topologies::chain(4), spec_of(TreeKind::Chain, 4, settings), settings);
    EXPECT_FALSE(run.run(SimTime::s(1)));
    ASSERT_EQ(run.truth.bugs().size(), 1u);
    EXPECT_EQ(run.truth.bugs().front().bug.planted, 0);
    EXPECT_EQ(run.truth.bugs().front().bug.node, planted.node);
    look(run);
}

}  // namespace

TEST(Halo, OnAChainComputesWhatOneProcessorDoes) {
    const HaloSettings settings = settings_of(20, 16);
    expect_same_as_sequential(topologies::chain(5), spec_of(TreeKind::Chain, 5, settings), settings);
}

TEST(Halo, OnABinaryTreeComputesWhatOneProcessorDoes) {
    const HaloSettings settings = settings_of(12, 33);
    expect_same_as_sequential(topologies::binary_tree(8), spec_of(TreeKind::Binary, 8, settings), settings);
}

TEST(Halo, WithLongMessagesOnATernaryTreeComputesWhatOneProcessorDoes) {
    const HaloSettings settings = settings_of(4, halo_kernel::most_cells);
    expect_same_as_sequential(topologies::ternary_tree(7), spec_of(TreeKind::Ternary, 7, settings), settings);
}

TEST(Halo, OnATreeWhoseEdgesAreNoLinksComputesWhatOneProcessorDoes) {
    const HaloSettings settings = settings_of(8, 100);
    expect_same_as_sequential(topologies::chain(8), spec_of(TreeKind::Binary, 8, settings), settings);
}

TEST(Halo, TellsUpAndDown) {
    const HaloSettings settings = settings_of(1, 4);
    TestHalo run(topologies::chain(3), spec_of(TreeKind::Chain, 3, settings), settings);
    ASSERT_TRUE(run.run());
    for (const auto& event : run.truth.events()) {
        const bool from_child = event.kind == EventKind::Send ? event.peer < event.node : event.peer > event.node;
        EXPECT_EQ(event.is_result != 0, from_child);
        EXPECT_EQ(event.bytes, 32u);
        EXPECT_EQ(event.subtask, 0u);
    }
}

TEST(Halo, HangsInItsFirstFunction) {
    expect_stop(bug(BugKind::Hang, Process::InitialFn, 2, 0), [](TestHalo& run) {
        EXPECT_TRUE(run.done(2, EventKind::Send).empty());
        EXPECT_FALSE(run.box.machine().node(node(2)).processor.low_priority_idle());  // it uses the processor
        EXPECT_EQ(run.done(1, EventKind::Send).size(), 2u);  // both of exchange 0, and then it waits for n2
        EXPECT_EQ(run.done(0, EventKind::Send).size(), 2u);  // n0 is one ahead
    });
}

TEST(Halo, CrashesInAStep) {
    expect_stop(bug(BugKind::Crash, Process::StepFn, 1, 3), [](TestHalo& run) {
        EXPECT_EQ(run.done(1, EventKind::Receive).size(), 8u);  // exchanges 0 to 3
        EXPECT_EQ(run.done(1, EventKind::Send).size(), 8u);
        EXPECT_TRUE(run.box.machine().node(node(1)).processor.low_priority_idle());
        EXPECT_FALSE(run.box.machine().node(node(1)).processor.crashed());
        EXPECT_THAT(run.done(2, EventKind::Send), testing::Contains(std::pair(4u, std::uint16_t{1})));
        EXPECT_THAT(run.done(2, EventKind::Receive), testing::Not(testing::Contains(std::pair(4u, std::uint16_t{1}))));
    });
}

TEST(Halo, HangsBeforeAnExchangeWithoutComputing) {
    expect_stop(bug(BugKind::Hang, Process::Exchange, 3, 2), [](TestHalo& run) {
        EXPECT_EQ(run.done(3, EventKind::Send).size(), 2u);
        EXPECT_TRUE(run.box.machine().node(node(3)).processor.low_priority_idle());
    });
}

// The receiver does not take the next message for the lost one.
TEST(Halo, LosesAMessage) {
    expect_stop(bug(BugKind::Lose, Process::Exchange, 1, 2, 2), [](TestHalo& run) {
        EXPECT_THAT(run.done(1, EventKind::Send), testing::Contains(std::pair(2u, std::uint16_t{2})));
        EXPECT_THAT(run.done(1, EventKind::Send), testing::Contains(std::pair(3u, std::uint16_t{2})));
        EXPECT_THAT(run.done(2, EventKind::Receive), testing::Not(testing::Contains(std::pair(2u, std::uint16_t{1}))));
        EXPECT_THAT(run.done(2, EventKind::Receive), testing::Not(testing::Contains(std::pair(3u, std::uint16_t{1}))));
        EXPECT_EQ(run.box.kernel(node(2)).dropped_damaged(), 0u);
    });
}

TEST(Halo, StopsAroundACrashedNode) {
    const HaloSettings settings = settings_of(50, 8);
    TestHalo run(topologies::chain(4), spec_of(TreeKind::Chain, 4, settings), settings);
    run.run_for(SimTime::ms(30));
    run.box.machine().node(node(2)).crash();
    const std::size_t sent = run.done(2, EventKind::Send).size();
    EXPECT_FALSE(run.run(SimTime::s(1)));
    EXPECT_EQ(run.done(2, EventKind::Send).size(), sent);
    EXPECT_GT(sent, 2u);
    EXPECT_LT(run.done(0, EventKind::Receive).size(), 51u);
    EXPECT_GE(run.done(1, EventKind::Send).size() + 2, sent);
}
