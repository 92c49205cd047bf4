// A command under way: its steps, and the alarm that ends one without an answer.
#include <gmock/gmock.h>

#include <trollius_commands/command_run.hpp>
#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_commands::CommandRun;
using trollius_os::Api;

namespace {

struct CommandBench : TestMulticomputer {
    CommandBench() : TestMulticomputer(topologies::chain(4)) {
        box.programs()["sleeper"] = {30'000, 4096, [](Api& api, const trollius_os::Arguments&) {
                                         trollius_os::Message never{.event = vocabulary::EventNo(99)};
                                         api.krecv(never);
                                     }};
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    trollius_commands::Site site() {
        return {.nodes = 4,
                .host = box.host_id(),
                .usual = {NodeId(0), NodeId(1), NodeId(2), NodeId(3)},
                .most_packet = 4096,
                .programs = {"sleeper"}};
    }
    std::unique_ptr<CommandRun> start(const std::vector<std::string>& words, std::optional<SimTime> time_out) {
        return std::make_unique<CommandRun>(box.host(), site(), trollius_commands::parse_command(words, site()), time_out);
    }
    std::string typed(const std::vector<std::string>& words, std::optional<SimTime> time_out = SimTime::ms(100)) {
        const auto run = start(words, time_out);
        EXPECT_TRUE(run_until([&] { return run->over(); }, box.now() + SimTime::s(20), SimTime::us(100)));
        failed = run->failed();
        return run->text();
    }
    std::size_t host_processes() {
        std::size_t living = 0;
        for (const auto& process : box.host().processes())
            living += process != nullptr && process->state() != trollius_os::ProcessState::Ended ? 1U : 0U;
        return living;
    }
    bool failed = false;
};

}  // namespace

TEST(CommandRun, LeavesNoProcessBehind) {
    CommandBench bench;
    const std::size_t before = bench.host_processes();
    EXPECT_THAT(bench.typed({"state", "-g", "n3"}), testing::HasSubstr("kenyad"));
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(bench.host_processes(), before);
}

TEST(CommandRun, GoesOnAfterANodeThatDoesNotAnswer) {
    CommandBench bench;
    bench.box.kernel(NodeId(2)).port().crash();
    const SimTime before = bench.box.now();
    const std::string text = bench.typed({"bfstate", "-l", "n0-3"});
    EXPECT_THAT(text, testing::MatchesRegex(
                          "n0 +max .*\nn1 +max .*\nn2 +does not answer\nn3 +does not answer\n"));  // n3 lies behind n2
    EXPECT_FALSE(bench.failed);
    EXPECT_NEAR((bench.box.now() - before).in_ps() * 1e-9, 200, 5);  // ms: two time-outs, and two answers
}

TEST(CommandRun, ListsTheMemoryOfNodes) {
    CommandBench bench;
    bench.box.kernel(NodeId(3)).create(
        {"user", trollius_os::Priority::Low, 0, 1024, [](Api& api) { trollius_os::rmalloc(api, NodeId(1), 4096); }});
    bench.run_for(SimTime::ms(20));
    const std::string text = bench.typed({"mstate", "n0-1"});
    EXPECT_FALSE(bench.failed);
    EXPECT_THAT(text,
                testing::MatchesRegex("NODE +ADDRESS +BYTES USE\n"
                                      "n0 +- +131072 system\nn0 +- +[0-9]+ processes\nn0 .*traces\nn0 +- +[0-9]+ free\n"
                                      "n1 +- +131072 system\nn1 .*\nn1 .*\nn1 +0x80020000 +4096 allocated\nn1 .* free\n"));
    EXPECT_THAT(bench.typed({"mstate", "h"}), testing::HasSubstr("the host has no mallocd"));
    EXPECT_TRUE(bench.failed);
    bench.box.kernel(NodeId(2)).port().crash();
    EXPECT_THAT(bench.typed({"mstate", "n2"}), testing::HasSubstr("does not answer"));
}

TEST(CommandRun, AsksASilentNodeOnceOnly) {
    CommandBench bench;
    bench.box.kernel(NodeId(3)).port().crash();
    const std::string text = bench.typed({"tping", "-c4", "-d0", "n2-3"});
    EXPECT_THAT(text, testing::HasSubstr("n3     does not answer\n"));
    EXPECT_THAT(text, testing::HasSubstr("4 messages, 4 bytes"));
}

TEST(CommandRun, DoesNotTakeALateAnswerForAnother) {
    CommandBench bench;
    // An answer takes longer than the time-out, and comes while the next node is asked.
    const std::string text = bench.typed({"bfstate", "-l", "n3", "n0"}, SimTime::us(900));
    EXPECT_THAT(text, testing::MatchesRegex("n3 +does not answer\nn0 +max space.*\n"));
    EXPECT_THAT(bench.typed({"bfstate", "-l", "n3"}), testing::HasSubstr("n3        max space"));
}

TEST(CommandRun, WithoutATimeOutWaitsForEver) {
    CommandBench bench;
    bench.box.kernel(NodeId(1)).port().crash();
    const std::size_t before = bench.host_processes();
    {
        const auto run = bench.start({"bfstate", "-l", "n1"}, std::nullopt);
        EXPECT_FALSE(bench.run_until([&] { return run->over(); }, SimTime::s(100)));
        EXPECT_EQ(bench.host_processes(), before + 1);
    }
    EXPECT_EQ(bench.host_processes(), before);  // who drops the command ends its process
}

TEST(CommandRun, IsTheSameTwice) {
    std::vector<SimTime> ends;
    CommandBench bench;
    for (int i = 0; i < 3; ++i) {
        const SimTime before = bench.box.now();
        bench.typed({"tping", "-c2", "-d0", "n3"});
        ends.push_back(bench.box.now() - before);
    }
    EXPECT_EQ(ends[1], ends[2]);  // the first round fills caches of routes
}

TEST(CastCommands, MakeAndListCasts) {
    CommandBench bench;
    EXPECT_EQ(bench.typed({"cast", "n2", "n0"}), "cast 32768: n2,n0\n");
    EXPECT_EQ(bench.typed({"cast", "n1-3", "h"}), "cast 32769: n1,n2,n3,h\n");
    EXPECT_EQ(bench.typed({"cast", "n1,1"}), "n1,n1: Invalid argument\n");
    EXPECT_TRUE(bench.failed);
    EXPECT_EQ(bench.typed({"cstate", "n0-2"}),
              "NODE   CAST       SENT RECEIVED NODES\n"
              "n0     32768         0        0 n2,n0\n"
              "n1     32769         0        0 n1,n2,n3,h\n"
              "n2     32768         0        0 n2,n0\n"
              "n2     32769         0        0 n1,n2,n3,h\n");
    EXPECT_THROW(bench.typed({"cast"}), vocabulary::RequestError);
    EXPECT_THROW(bench.typed({"cstate", "-x"}), vocabulary::RequestError);
}

// A node that does not answer holds up the cast, and the time-out ends the command.
TEST(CastCommands, OfADeadNodeGetNoAnswer) {
    CommandBench bench;
    bench.box.machine().node(NodeId(3)).crash();
    EXPECT_EQ(bench.typed({"cast", "n1,3"}), "h      does not answer\n");
    EXPECT_THAT(bench.typed({"cstate", "n2-3"}), testing::HasSubstr("n3     does not answer\n"));
}
