// Memory of a node that processes of any node use by messages.
#include <gmock/gmock.h>

#include <cerrno>
#include <random>

#include "daemon_bench.hpp"

using test_support::DaemonBench;
using test_support::NodeId;
using test_support::SimTime;
using trollius_os::Allocated;
using trollius_os::Api;
using trollius_os::services::MemoryRegion;
using trollius_os::services::MemoryUse;
namespace errors = trollius_os::errors;

namespace {

std::vector<std::byte> pattern_of(std::size_t bytes) {
    std::vector<std::byte> all(bytes);
    for (std::size_t i = 0; i < bytes; ++i) all[i] = std::byte(i * 7 + i / 251);
    return all;
}

std::uint64_t bytes_of(const std::vector<MemoryRegion>& regions, MemoryUse use) {
    std::uint64_t sum = 0;
    for (const MemoryRegion& region : regions) sum += region.use == use ? region.bytes : 0;
    return sum;
}

}  // namespace

TEST(Mallocd, KeepsWhatIsWrittenOverManyPackets) {
    DaemonBench bench;
    for (const auto from : {std::optional<std::uint16_t>(), std::optional<std::uint16_t>(2)}) {
        bench.ask(
            [](Api& api) {
                const Allocated block = trollius_os::rmalloc(api, NodeId(2), 10'001);
                ASSERT_EQ(block.error, 0);
                EXPECT_GE(block.address, 0x8000'0000U);
                const auto bytes = pattern_of(9000);
                EXPECT_EQ(trollius_os::rmwrite(api, NodeId(2), block.address + 1000, bytes), 0);
                std::vector<std::byte> got(9000), zeros(1000, std::byte{1});
                EXPECT_EQ(trollius_os::rmread(api, NodeId(2), block.address + 1000, got), 0);
                EXPECT_EQ(got, bytes);
                EXPECT_EQ(trollius_os::rmread(api, NodeId(2), block.address, zeros), 0);
                EXPECT_EQ(zeros, std::vector<std::byte>(1000));
                EXPECT_EQ(trollius_os::rfree(api, NodeId(2), block.address), 0);
                EXPECT_EQ(trollius_os::rmread(api, NodeId(2), block.address, zeros), errors::not_malloced);
            },
            from);
    }
}

TEST(Mallocd, RefusesBadAddressesAndLengths) {
    DaemonBench bench;
    bench.ask([](Api& api) {
        const NodeId node(1);
        const std::uint32_t at = trollius_os::rmalloc(api, node, 100).address;
        const std::uint32_t next = trollius_os::rmalloc(api, node, 100).address;
        EXPECT_EQ(next, at + 100);
        std::vector<std::byte> room(101);
        EXPECT_EQ(trollius_os::rmread(api, node, at, room), errors::not_malloced);  // runs into the next block
        EXPECT_EQ(trollius_os::rmwrite(api, node, at + 50, room), errors::not_malloced);
        for (const std::uint32_t wild : {0U, at - 1, next + 100, 0x7fff'ffffU, 0xffff'ffffU}) {
            EXPECT_EQ(trollius_os::rmread(api, node, wild, std::span(room).first(1)), errors::not_malloced) << wild;
            EXPECT_EQ(trollius_os::rmwrite(api, node, wild, std::span(room).first(4)), errors::not_malloced) << wild;
            EXPECT_EQ(trollius_os::rfree(api, node, wild), errors::not_malloced) << wild;
        }
        EXPECT_EQ(trollius_os::rfree(api, node, at + 4), errors::not_malloced);
        EXPECT_EQ(trollius_os::rmalloc(api, node, 0).error, EINVAL);
        EXPECT_EQ(trollius_os::rmalloc(api, node, UINT32_MAX).error, ENOMEM);
        EXPECT_EQ(trollius_os::rmread(api, node, at, {}), 0);
        EXPECT_EQ(trollius_os::rmalloc(api, api.kernel().host(), 10).error, errors::service);
    });
}

TEST(Mallocd, DoesNotObeyWordsThatMeanNothing) {
    DaemonBench bench;
    std::mt19937 random(1);
    bench.ask([&](Api& api) {
        trollius_os::rmalloc(api, NodeId(1), 5000);
        for (int i = 0; i < 500; ++i) {
            std::vector<std::byte> body(random() % 300);
            trollius_os::Message message{.node = NodeId(1),
                                         .event = trollius_os::events::mallocd,
                                         .length = static_cast<std::uint32_t>(body.size()),
                                         .body = body};
            for (auto& word : message.data) word = static_cast<std::int32_t>(random());
            message.data[0] = static_cast<std::int32_t>(random() % 8);
            message.data[1] = static_cast<std::int32_t>(random() % 2 == 0 ? random() : 0);
            api.nsend(message);
        }
        EXPECT_EQ(trollius_os::rmalloc(api, NodeId(1), 8).error, 0);
    });
}

TEST(Mallocd, TellsTheMemoryOfTheNode) {
    DaemonBench bench;
    const std::uint64_t all = bench.box.port(NodeId(3)).memory_bytes();
    bench.ask([&](Api& api) {
        const auto before = trollius_os::memory_regions(api, NodeId(3));
        const std::uint32_t first = trollius_os::rmalloc(api, NodeId(3), 1000).address;
        trollius_os::rmalloc(api, NodeId(3), 2000);
        const auto regions = trollius_os::memory_regions(api, NodeId(3));
        ASSERT_EQ(regions.size(), 6U);
        std::uint64_t sum = 0;
        for (const MemoryRegion& region : regions) sum += region.bytes;
        EXPECT_EQ(sum, all);
        EXPECT_EQ(bytes_of(regions, MemoryUse::Block), 3000U);
        EXPECT_EQ(regions[3].address, first);
        EXPECT_EQ(bytes_of(before, MemoryUse::Free), bytes_of(regions, MemoryUse::Free) + 3000);
        EXPECT_EQ(bytes_of(regions, MemoryUse::System), api.kernel().costs().system_memory);
        EXPECT_TRUE(trollius_os::memory_regions(api, api.kernel().host()).empty());
    });
}

TEST(Mallocd, AnswersWhatCameBeforeThereWasRoomForIt) {
    DaemonBench bench;
    trollius_os::Kernel& kernel = bench.box.kernel(NodeId(2));
    const auto waits = [](Api& api) {
        trollius_os::Message never{.event = trollius_os::EventNo(99)};
        api.krecv(never);
    };
    std::vector<trollius_os::Process*> users;
    while (trollius_os::Process* process = bench.user(2, waits)) users.push_back(process);
    bool first = false, second = false;
    bench.begin([](Api& api) { EXPECT_EQ(trollius_os::rmalloc(api, NodeId(2), 8).error, 0); }, first);
    bench.run_for(SimTime::ms(50));
    EXPECT_FALSE(first);
    for (trollius_os::Process* process : users) kernel.doom(*process);
    bench.begin([](Api& api) { EXPECT_EQ(trollius_os::rmalloc(api, NodeId(2), 8).error, 0); }, second);
    bench.run_for(SimTime::ms(50));
    EXPECT_TRUE(first);
    EXPECT_TRUE(second);
}

TEST(Mallocd, UsesMemoryAgain) {
    DaemonBench bench;
    const std::uint64_t all = bench.box.port(NodeId(0)).memory_bytes();
    bench.ask([&](Api& api) {
        trollius_os::rfree(api, NodeId(0), trollius_os::rmalloc(api, NodeId(0), 4).address);  // mallocd takes its stack
        const std::uint64_t used = bench.box.port(NodeId(0)).memory_used();
        for (int i = 0; i < 20; ++i) {
            const Allocated block = trollius_os::rmalloc(api, NodeId(0), static_cast<std::uint32_t>(all * 6 / 10));
            ASSERT_EQ(block.error, 0) << i;
            EXPECT_EQ(trollius_os::rmalloc(api, NodeId(0), static_cast<std::uint32_t>(all / 2)).error, ENOMEM);
            EXPECT_EQ(trollius_os::rfree(api, NodeId(0), block.address), 0);
        }
        EXPECT_EQ(bench.box.port(NodeId(0)).memory_used(), used);
    });
}
