#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <hw_model/arena.hpp>

using hw_model::Arena;
using vocabulary::NodeId;

TEST(Arena, HasNoBlockLeftWhenTheModelledRamIsExhausted) {
    Arena arena(NodeId(3), 1 << 20);
    std::vector<void*> blocks;
    while (void* block = arena.allocate(10'000)) blocks.push_back(block);
    EXPECT_EQ(blocks.size(), (1U << 20) / 10'008);
    arena.release(blocks.back());
    EXPECT_NE(arena.allocate(10'000), nullptr);
    EXPECT_EQ(arena.allocate(10'000), nullptr);
}

TEST(Arena, TakesNothingWhenItRefuses) {
    Arena arena(NodeId(3), 1 << 20);
    EXPECT_TRUE(arena.take(1'000'000));
    EXPECT_FALSE(arena.take(48'577));
    EXPECT_EQ(arena.used_bytes(), 1'000'000u);
    EXPECT_TRUE(arena.take(48'576));
    EXPECT_EQ(arena.used_bytes(), arena.ram_bytes());
}

TEST(Arena, RefusesABlockLongerThanAnyMemory) {
    Arena arena(NodeId(3), 1 << 20);
    EXPECT_EQ(arena.allocate(std::numeric_limits<std::size_t>::max()), nullptr);
    EXPECT_EQ(arena.allocate(std::numeric_limits<std::size_t>::max() - 16), nullptr);
    EXPECT_EQ(arena.used_bytes(), 0u);
}

TEST(Arena, RemembersItsHighWaterMark) {
    Arena arena(NodeId(3), 1 << 20);
    void* block = arena.allocate(1000);
    arena.release(block);
    arena.release(nullptr);
    EXPECT_EQ(arena.used_bytes(), 0u);
    EXPECT_EQ(arena.high_water_bytes(), 1008u);
}

TEST(Arena, GivesBlocksAtTheSameAddressesInEveryRun) {
    std::vector<std::uintptr_t> first, second;
    for (auto* addresses : {&first, &second}) {
        Arena arena(NodeId(7), 1 << 20);
        for (const std::size_t bytes : {100, 20, 5000})
            addresses->push_back(reinterpret_cast<std::uintptr_t>(arena.allocate(bytes)));
        addresses->push_back(reinterpret_cast<std::uintptr_t>(arena.take_stack()));
    }
    EXPECT_EQ(first, second);
    EXPECT_EQ(first[0] % 16, 0u);
    EXPECT_GT(first[0], 0x2000'0000'0000u + 7 * (std::uintptr_t{128} << 20));
    EXPECT_LT(first[0], 0x2000'0000'0000u + 8 * (std::uintptr_t{128} << 20));
}

TEST(Arena, KeepsTheContentOfItsBlocksApart) {
    Arena arena(NodeId(0), 1 << 20);
    auto* a = static_cast<unsigned char*>(arena.allocate(333));
    auto* b = static_cast<unsigned char*>(arena.allocate(444));
    std::memset(a, 1, 333);
    std::memset(b, 2, 444);
    EXPECT_EQ(a[0] + a[332], 2);
    EXPECT_EQ(b[0] + b[443], 4);
}

TEST(Arena, ReservesThousandAndTwentyFourNodesOfSixteenMebibytes) {
    std::vector<std::unique_ptr<Arena>> nodes;
    for (NodeId::value_type i = 0; i < 1024; ++i) nodes.push_back(std::make_unique<Arena>(NodeId(i), std::uint64_t{16} << 20));
    EXPECT_NE(nodes.back()->allocate(1 << 20), nullptr);
}

TEST(Arena, HasSixtyFourStacksAndGivesThemOutAgain) {
    Arena arena(NodeId(0), 1 << 20);
    std::set<std::byte*> stacks;
    while (std::byte* stack = arena.take_stack()) stacks.insert(stack);
    EXPECT_EQ(stacks.size(), Arena::most_places);
    arena.give_back_stack(*stacks.begin());
    EXPECT_EQ(arena.take_stack(), *stacks.begin());
}

TEST(Arena, GivesNoStackOutsideOfItsAreaWhenPlacesComeBackWithoutTheirs) {
    Arena arena(NodeId(0), 1 << 20);
    for (std::size_t i = 0; i < Arena::most_places; ++i) arena.take_stack();
    arena.give_back_place();
    EXPECT_EQ(arena.take_stack(), nullptr);
    EXPECT_TRUE(arena.take_place());
}

TEST(Arena, ReleasesTheBlocksOfAnOwner) {
    Arena arena(NodeId(0), 1 << 20);
    std::set<void*> of_others;
    for (std::uint32_t i = 0; i < 30; ++i) {
        void* block = arena.allocate(100, i % 3);
        if (i % 3 != 1) of_others.insert(block);
    }
    arena.release_all_of(1);
    std::set<void*> left;
    for (const auto& block : arena.allocated_blocks()) left.insert(block.data());
    EXPECT_EQ(left, of_others);
    EXPECT_EQ(arena.used_bytes(), 20 * 108u);
    for (void* block : of_others) arena.release(block);
    EXPECT_EQ(arena.used_bytes(), 0u);
}

TEST(Arena, TellsItsBlocksByAddressWhateverTheOrderTheyLeftIn) {
    Arena arena(NodeId(0), 1 << 20);
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < 20; ++i) blocks.push_back(arena.allocate(100 + i));
    for (const std::size_t left : {3, 19, 0, 7, 8}) arena.release(blocks[left]);
    std::vector<std::pair<void*, std::size_t>> expected, told;
    for (std::size_t i = 0; i < 20; ++i) {
        if (i != 3 && i != 19 && i != 0 && i != 7 && i != 8) expected.emplace_back(blocks[i], 100 + i);
    }
    std::sort(expected.begin(), expected.end());
    for (const auto& block : arena.allocated_blocks()) told.emplace_back(block.data(), block.size());
    EXPECT_EQ(told, expected);
}

TEST(ArenaDeathTest, ReleasingWhatIsNoBlockIsABrokenContract) {
    Arena arena(NodeId(0), 1 << 20);
    auto* block = static_cast<std::byte*>(arena.allocate(1000));
    std::memset(block, 0, 1000);
    EXPECT_DEATH(arena.release(block + 16), "arena.release");
    int elsewhere = 0;
    EXPECT_DEATH(arena.release(&elsewhere), "arena.release");
}

TEST(ArenaDeathTest, TwoNodesOfTheSameNumberCannotBeInOneProcess) {
    Arena arena(NodeId(5), 1 << 20);
    EXPECT_THROW(Arena(NodeId(5), 1 << 20), std::runtime_error);
}

TEST(ArenaDeathTest, GivingBackMoreThanWasTakenIsABrokenContract) {
    Arena arena(NodeId(0), 1 << 20);
    EXPECT_DEATH(arena.give_back(1), "arena.give_back");
    EXPECT_DEATH(Arena(NodeId(1), std::uint64_t{4} << 30), "arena.ram");
    EXPECT_DEATH(Arena(NodeId(2048), std::uint64_t{1} << 30), "arena.ram");
}

TEST(Arena, KeepsWhatMostProcessesUseOfAStackWithinOnePage) {
    constexpr std::uintptr_t page = 4096, used = 2048;
    for (const NodeId::value_type node : {0, 1, 74}) {
        Arena arena(NodeId(node), 1 << 20);
        for (std::size_t i = 0; i < Arena::most_places; ++i) {
            const std::byte* stack = arena.take_stack();
            const auto top = reinterpret_cast<std::uintptr_t>(stack) + Arena::host_stack_bytes - arena.stack_colour(stack);
            EXPECT_EQ((top - 1) / page, (top - used) / page) << "stack " << i << " of node " << node;
        }
    }
}
