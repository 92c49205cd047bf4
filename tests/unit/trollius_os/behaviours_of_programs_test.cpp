// The behaviours that make the system Trollius, 8 to 12: what programs see of messages, loading, files and ends.
#include <array>
#include <set>
#include <string>
#include <utility>

#include <trollius_os/error_numbers.hpp>

#include "behaviour_bench.hpp"
#include "file_bench.hpp"

namespace behaviours {

using testing::ElementsAre;

namespace {

enum class By { Network, Transport };

// Two senders at the ends of a chain send messages of three packets to its middle, at times of their own. Each fills them with
// its letter. Returns the letters of each message.
std::multiset<std::string> letters_in_messages(By layer, int messages_each) {
    constexpr std::uint32_t three_packets = 3 * 4096;
    Chain bench(3);
    std::multiset<std::string> letters;
    for (const auto& [node, letter] : {std::pair(0, 'a'), {2, 'b'}}) {
        bench.user(static_cast<std::uint16_t>(node), [layer, messages_each, l = letter](Api& api) {
            std::vector<std::byte> body(three_packets, std::byte(l));
            for (int i = 0; i < messages_each; ++i) {
                Message message{.node = NodeId(1), .event = of_behaviour, .length = three_packets, .body = body};
                layer == By::Network ? api.nsend(message) : api.tsend(message);
                api.compute(SimTime::us(i * 137 * l % 3000));
            }
        });
    }
    bench.user(1, [&, layer, messages_each](Api& api) {
        std::vector<std::byte> room(three_packets);
        for (int i = 0; i < 2 * messages_each; ++i) {
            Message message{.event = of_behaviour, .body = room};
            layer == By::Network ? api.nrecv(message) : api.trecv(message);
            EXPECT_TRUE(layer == By::Network || message.length == three_packets);
            std::set<char> seen;
            for (const std::byte b : std::span(room).first(message.length)) seen.insert(static_cast<char>(b));
            letters.emplace(seen.begin(), seen.end());
        }
    });
    bench.run_for(SimTime::s(20));
    return letters;
}

}  // namespace

TEST(Behaviour8, PacketsOfTwoSendersInterleaveByNsend) {
    EXPECT_THAT(letters_in_messages(By::Network, 20), testing::Contains("ab"));
}
TEST(Behaviour8, PacketsOfTwoSendersNeverInterleaveByTsend) {
    const auto letters = letters_in_messages(By::Transport, 40);
    EXPECT_EQ(letters.count("a"), 40u);
    EXPECT_EQ(letters.count("b"), 40u);
    EXPECT_EQ(letters.size(), 80u);
}

TEST(Behaviour9, TheOrderInWhichNodesAreLoadedDoesNotMatter) {
    Chain bench(5);
    std::vector<std::string> results;
    // Each node hands on what it has got from the node before it, with its own number at the end.
    bench.box.programs()["chain"] = {
        4'000, 1024, [&](Api& api, const trollius_os::Arguments&) {
            const std::uint16_t here = api.node().value();
            std::vector<std::byte> room(here);
            Message got{.event = of_behaviour, .body = room};
            if (here > 0) api.nrecv(got);
            room.push_back(std::byte(here));
            Message on{.node = NodeId(here + 1), .event = of_behaviour, .length = here + 1u, .body = room};
            if (here < 4) api.nsend(on);
            if (here < 4) return;
            results.emplace_back();
            for (const std::byte b : room) results.back() += std::to_string(std::to_integer<int>(b));
        }};
    for (const auto& order : {std::array{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}}) {
        bench.on_host([&](Api& api) {
            for (const int node : order)
                EXPECT_TRUE(trollius_os::loadgo(api, NodeId(static_cast<std::uint16_t>(node)), bench.box.host_id(), "chain"));
        });
    }
    EXPECT_THAT(results, ElementsAre("01234", "01234", "01234"));
}

TEST(Behaviour9, StateHangsWhenItReachesACrashedNode) {
    Chain bench(5);
    bench.box.machine().node(NodeId(3)).crash();
    std::vector<int> answered;
    auto* command = bench.box.host().create({"state", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                                 for (std::uint16_t node = 0; node < 5; ++node) {
                                                     if (!trollius_os::state(api, NodeId(node)).empty())
                                                         answered.push_back(node);
                                                 }
                                             }});
    bench.run_for(SimTime::s(100));
    EXPECT_THAT(answered, ElementsAre(0, 1, 2));
    EXPECT_EQ(command->state(), ProcessState::BlockedReceiving);
}

TEST(Behaviour10, FilesAreThoseOfTheOriginOrOfTheNodeBeforeTheColon) {
    using namespace trollius_os::open_flags;
    file_test::FileBench bench(15);  // the host, where the machine was booted, is node 15
    bench.write("allowed/foo", "of the host");
    bench.on_node(4, [](Api& api) {
        EXPECT_EQ(file_test::read_text(api, trollius_os::rfopen(api, "foo", read_only)), "of the host");
        EXPECT_EQ(file_test::read_text(api, trollius_os::rfopen(api, "15:foo", read_only)), "of the host");
        EXPECT_EQ(trollius_os::rfopen(api, "14:foo", read_only), -trollius_os::errors::service)
            << "node 14 is asked, not the host";
        EXPECT_EQ(trollius_os::rfopen(api, "16:foo", read_only), -trollius_os::errors::bad_node);
    });
}

TEST(Behaviour10, FifteenIsATransputerOfALargerMachine) {
    using namespace trollius_os::open_flags;
    file_test::FileBench bench(17);
    bench.write("allowed/foo", "of the host");
    bench.on_node(15, [](Api& api) {
        EXPECT_EQ(file_test::read_text(api, trollius_os::rfopen(api, "foo", read_only)), "of the host");
        EXPECT_EQ(trollius_os::rfopen(api, "15:foo", read_only), -trollius_os::errors::service);
        EXPECT_EQ(file_test::read_text(api, trollius_os::rfopen(api, "17:foo", read_only)), "of the host");
    });
}

TEST(Behaviour12, AnExitNoticeComesOnlyWithTheFlagAndElseNothingIsSent) {
    Chain bench(3);
    bench.box.programs()["ends"] = {4'000, 1024,
                                    [](Api& api, const trollius_os::Arguments&) { api.compute(SimTime::ms(100)); }};
    bench.on_host([&](Api& api) {
        const EventNo notices = trollius_os::services::notice_event(api.process().reply_event());
        trollius_os::loadgo(api, NodeId(2), bench.box.host_id(), "ends");
        Chain::sleep(api, 20'000);
        const std::uint64_t loaded = bench.rendezvous();
        Chain::sleep(api, 200'000);
        EXPECT_EQ(bench.rendezvous(), loaded) << "its end moves no message";
        EXPECT_FALSE(api.nprobe(notices, 0));
        const auto doomed = trollius_os::loadgo(api, NodeId(1), bench.box.host_id(), "ends");
        EXPECT_EQ(trollius_os::doom(api, NodeId(1), doomed.pid), trollius_os::Doomed::Done);
        Chain::sleep(api, 200'000);
        EXPECT_FALSE(api.nprobe(notices, 0));
        const auto child =
            trollius_os::loadgo(api, NodeId(2), bench.box.host_id(), "ends", {}, trollius_os::services::rtf_wait);
        EXPECT_FALSE(api.nprobe(notices, 0)) << "it still runs";
        const trollius_os::ChildEnd end = trollius_os::wait_for_child(api);
        EXPECT_EQ(end.node, NodeId(2));
        EXPECT_EQ(end.pid, child.pid);
        EXPECT_EQ(end.status, 0);
    });
}

}  // namespace behaviours
