// From power-up to a running program.
#include <gmock/gmock.h>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::CreateError;

class BootedMachine : public testing::TestWithParam<const char*> {};

TEST_P(BootedMachine, HasEveryNodeUpAfterTheImageHasTravelledDown) {
    TestMulticomputer bench(test_support::machine_file(GetParam()));
    bench.box.boot();
    ASSERT_TRUE(bench.run_until([&] { return bench.box.booted(); }, SimTime::s(10), SimTime::us(100)));
    // Four levels of store and forward; the children of a node get it one after the other. So at least 5 images of 48 KiB pass
    // in a row.
    EXPECT_GT(bench.box.now(), SimTime::ns(575) * 49'152 * 5);
    EXPECT_LT(bench.box.now(), SimTime::s(1));
    std::vector<SimTime> answers;
    bench.box.host().create({"tping", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                 for (std::uint16_t node = 0; node < 8; ++node)
                                     answers.push_back(trollius_os::echo(api, NodeId(node), 100));
                             }});
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(answers.size(), 8u);
}
INSTANTIATE_TEST_SUITE_P(Files, BootedMachine, testing::Values("btree_8", "btree_8_c004"));

namespace {

struct LoadBench : TestMulticomputer {
    LoadBench() : TestMulticomputer(topologies::chain(3)) {
        box.programs()["worker"] = {40'000, 4096, [this](Api& api, const trollius_os::Arguments& words) {
                                        started.emplace_back(api.node().value(), words);
                                    }};
        box.programs()["large"] = {400'000, 4096, [this](Api& api, const trollius_os::Arguments& words) {
                                       started.emplace_back(api.node().value(), words);
                                   }};
        box.programs()["huge"] = {64'000'000, 4096, [](Api&, const trollius_os::Arguments&) {}};
        box.programs()["deep"] = {1'000, 64'000'000, [](Api&, const trollius_os::Arguments&) {}};
        box.programs()["sleeper"] = {30'000, 4096, [](Api& api, const trollius_os::Arguments&) {
                                         trollius_os::Message never{.event = vocabulary::EventNo(99)};
                                         api.krecv(never);
                                     }};
        box.programs()["own"] = {20'000, 4096, [](Api&, const trollius_os::Arguments&) {}, std::vector(9'000, std::byte{7})};
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void on_host(std::function<void(Api&)> code) {
        box.host().create({"command", trollius_os::Priority::Low, 0, 1024, std::move(code)});
        run_for(SimTime::s(1));
    }
    void end_all(std::uint16_t node) {
        on_host([&](Api& api) {
            for (const auto& line : trollius_os::state(api, NodeId(node)))
                if (line.priority == 0) trollius_os::doom(api, NodeId(node), line.pid);
        });
    }
    trollius_os::Created load(const std::string& program, std::uint16_t node, const trollius_os::Arguments& words = {}) {
        trollius_os::Created created;
        bool done = false;
        box.host().create({"loadgo", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                               created = trollius_os::loadgo(api, NodeId(node), box.host_id(), program, words);
                               done = true;
                           }});
        run_for(SimTime::s(1));
        EXPECT_TRUE(done);
        return created;
    }
    std::uint64_t used(std::uint16_t node) { return box.machine().node(NodeId(node)).arena.used_bytes(); }
    std::vector<std::pair<int, trollius_os::Arguments>> started;
};

}  // namespace

TEST(Loadgo, StartsAProgramOnTheNodeWithItsArguments) {
    LoadBench bench;
    const trollius_os::Arguments words = {"-v", "", "two words", std::string(10'000, 'x'), ""};
    EXPECT_TRUE(bench.load("worker", 2, words));
    EXPECT_TRUE(bench.load("worker", 0));
    EXPECT_THAT(bench.started, testing::ElementsAre(testing::Pair(2, words), testing::Pair(0, testing::IsEmpty())));
}

TEST(Loadgo, LeavesTableAndMemoryAsTheyWereAfterAThousandProgramsOf400Kbytes) {
    LoadBench bench;
    ASSERT_EQ(bench.box.machine().node(NodeId(2)).arena.ram_bytes(), 4u << 20);
    const std::uint64_t before = bench.used(2);
    const auto table = [&] {
        std::vector<std::string> names;
        for (const auto& p : bench.box.kernel(NodeId(2)).processes())
            names.push_back(p->state() == trollius_os::ProcessState::Ended ? "free" : p->name());
        while (!names.empty() && names.back() == "free") names.pop_back();
        return names;
    };
    const auto processes = table();
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(bench.load("large", 2, {"a", std::to_string(i)})) << i;
    EXPECT_EQ(bench.used(2), before);
    EXPECT_EQ(table(), processes);
    EXPECT_LE(bench.box.kernel(NodeId(2)).processes().size(), processes.size() + 1) << "one slot, used again";
    EXPECT_EQ(bench.started.size(), 1000u);
}

TEST(Loadgo, HoldsTheMemoryOfModuleArgumentsAndStackWhileTheProgramRuns) {
    LoadBench bench;
    const std::uint64_t before = bench.used(2);
    ASSERT_TRUE(bench.load("sleeper", 2, {"12345"}));
    EXPECT_EQ(bench.used(2), before + 30'000 + 4096 + 7);  // five letters, a zero, and the end of the block
    bench.end_all(2);
    EXPECT_EQ(bench.used(2), before);
}

TEST(Loadgo, RefusesWhatTheNodesMemoryIsTooSmallFor) {
    LoadBench bench;
    const std::uint64_t before = bench.used(1);
    EXPECT_EQ(bench.load("huge", 1).error, CreateError::NoMemory);
    EXPECT_EQ(bench.load("deep", 1).error, CreateError::NoMemory);
    EXPECT_EQ(bench.load("worker", 1, {std::string(8'000'000, 'x')}).error, CreateError::NoMemory);
    EXPECT_EQ(bench.used(1), before);
    EXPECT_TRUE(bench.load("worker", 1));
}

TEST(Loadgo, RefusesAnUnknownProgram) {
    LoadBench bench;
    EXPECT_EQ(bench.load("nobody", 1).error, CreateError::UnknownProgram);
}

TEST(Loadgo, GoesOnForAHundredCommands) {
    LoadBench bench;
    for (int i = 0; i < 70; ++i) ASSERT_TRUE(bench.load("worker", 1, {std::to_string(i)})) << i;
}

TEST(Loadgo, GoesOnBesideRequestsThatNameACastOrAnothersBlock) {
    LoadBench bench;
    namespace services = trollius_os::services;
    const NodeId host = bench.box.host_id();
    bench.user(2, [host](Api& api) {
        std::vector<std::byte> name = {std::byte{'w'}, std::byte{'o'}, std::byte{'r'},
                                       std::byte{'k'}, std::byte{'e'}, std::byte{'r'}};
        const services::LoadRequest to_cast{.caller = services::caller(api), .destination = NodeId(trollius_os::first_cast)};
        auto load = services::request_to(host, trollius_os::events::loadd, to_cast, name);
        api.nsend(load);
        std::vector<std::byte> body(4096);
        for (int i = 0; i < 200; ++i) {  // while loadd ships a block of that name
            const services::FlatCall call = i % 2 == 0 ? services::FlatCall::Forget : services::FlatCall::Chunk;
            auto other = services::request_to(
                NodeId(2), trollius_os::events::flatd,
                services::FlatRequest{.call = call, .caller = services::caller(api), .name = {host, 1 + i % 4}}, body);
            api.nsend(other);
            api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 1'000);
        }
    });
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(bench.load("worker", 2));
}

TEST(CreateProcess, RefusesAModuleThatFlatdDoesNotHave) {
    LoadBench bench;
    trollius_os::Created created;
    bench.on_host([&](Api& api) { created = trollius_os::create_process(api, NodeId(1), "worker", {NodeId(1), 77}); });
    EXPECT_EQ(created.error, CreateError::NoBlock);
    EXPECT_TRUE(bench.started.empty());
}

TEST(CreateProcess, RefusesAModuleThatCameDamaged) {
    LoadBench bench;
    const std::uint64_t before = bench.used(1);
    std::vector<std::byte> content = bench.box.programs()["own"].content;
    trollius_os::Created damaged, sound;
    bench.on_host([&](Api& api) {
        content[100] ^= std::byte{4};
        trollius_os::ship_block(api, NodeId(1), 5, 20'000, content);
        damaged = trollius_os::create_process(api, NodeId(1), "own", {bench.box.host_id(), 5});
        content[100] ^= std::byte{4};
        trollius_os::ship_block(api, NodeId(1), 5, 20'000, content);
        sound = trollius_os::create_process(api, NodeId(1), "own", {bench.box.host_id(), 5});
    });
    EXPECT_EQ(damaged.error, CreateError::Damaged);
    EXPECT_TRUE(sound);
    EXPECT_EQ(bench.used(1), before);
}

TEST(CreateProcess, StartsAProgramThatIsOnTheNodeAlready) {
    LoadBench bench;
    trollius_os::Created created;
    bench.on_host([&](Api& api) { created = trollius_os::create_process(api, NodeId(1), "worker", {}, {"x"}); });
    EXPECT_TRUE(created);
    EXPECT_EQ(bench.started.size(), 1u);
}
