// loadgo and doom as commands.
#include <gmock/gmock.h>

#include <trollius_commands/command_run.hpp>
#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using trollius_os::Api;

namespace {

struct LoadCommandBench : test_support::TestMulticomputer {
    LoadCommandBench() : TestMulticomputer(topologies::chain(3)) {
        box.programs()["quick"] = {4'000, 1024, [this](Api& api, const trollius_os::Arguments& words) {
                                       started.push_back("n" + std::to_string(api.node().value()));
                                       for (const std::string& word : words) started.back() += " " + word;
                                   }};
        box.programs()["sleeper"] = {30'000, 4096, [](Api& api, const trollius_os::Arguments&) {
                                         trollius_os::Message never{.event = vocabulary::EventNo(99)};
                                         api.krecv(never);
                                     }};
        box.programs()["huge"] = {64'000'000, 4096, [](Api&, const trollius_os::Arguments&) {}};
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    std::string typed(const std::vector<std::string>& words) {
        const trollius_commands::Site site{
            .nodes = 3, .host = box.host_id(), .usual = {}, .most_packet = 4096, .programs = {"quick", "sleeper", "huge"}};
        trollius_commands::CommandRun run(box.host(), site, trollius_commands::parse_command(words, site), SimTime::s(1));
        EXPECT_TRUE(run_until([&] { return run.over(); }, box.now() + SimTime::s(60), SimTime::us(100)));
        failed = run.failed();
        return run.text();
    }
    std::vector<std::string> started;
    bool failed = false;
};

}  // namespace

TEST(LoadgoCommand, StartsEachProgramOnEachNodeWithTheArguments) {
    LoadCommandBench bench;
    EXPECT_EQ(bench.typed({"loadgo", "n1-2", "quick", "quick", "--", "a", "-b"}), "");
    EXPECT_FALSE(bench.failed);
    bench.run_for(SimTime::s(1));
    EXPECT_THAT(bench.started, testing::ElementsAre("n1 a -b", "n1 a -b", "n2 a -b", "n2 a -b"));
}

TEST(LoadgoCommand, SaysWhatItStarted) {
    LoadCommandBench bench;
    EXPECT_THAT(bench.typed({"loadgo", "-v", "n1", "sleeper"}),
                testing::MatchesRegex("\\[12\\] p[0-9]+ sleeper running on n1\n"));
}

TEST(LoadgoCommand, SaysWhyAProgramIsNotLoaded) {
    LoadCommandBench bench;
    EXPECT_EQ(bench.typed({"loadgo", "n1", "huge"}), "n1: huge is not loaded: the node has too little memory for it\n");
    EXPECT_TRUE(bench.failed);
}

TEST(LoadgoCommand, WaitsForTheEndsAndNamesTheAbnormalOnes) {
    LoadCommandBench bench;
    EXPECT_EQ(bench.typed({"loadgo", "-w", "n0-2", "quick"}), "");
    EXPECT_EQ(bench.started.size(), 3u);
    std::string text;
    bench.box.host().create({"killer", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                 api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 500'000);
                                 for (const auto& line : trollius_os::state(api, NodeId(2)))
                                     if (line.priority == 0) trollius_os::doom(api, NodeId(2), line.pid);
                             }});
    text = bench.typed({"loadgo", "-w", "n2", "sleeper"});
    EXPECT_THAT(text, testing::MatchesRegex("[0-9]+ on n2 exited with status -4\n"));
}

TEST(DoomCommand, EndsProcessesOfUsersAndNoOthers) {
    LoadCommandBench bench;
    bench.typed({"loadgo", "n1", "sleeper", "sleeper"});
    EXPECT_THAT(bench.typed({"state", "n1"}), testing::HasSubstr("sleeper"));
    EXPECT_EQ(bench.typed({"doom", "n1"}), "");
    EXPECT_THAT(bench.typed({"state", "n1"}), testing::Not(testing::HasSubstr("sleeper")));
    EXPECT_THAT(bench.typed({"state", "-t", "n1"}), testing::HasSubstr("kenyad"));
    EXPECT_THAT(bench.typed({"doom", "n1", "%1"}), testing::HasSubstr(": a system process"));
    EXPECT_TRUE(bench.failed);
    EXPECT_THAT(bench.typed({"doom", "n1", "%60"}), testing::HasSubstr("n1 %60: not a process"));
}
