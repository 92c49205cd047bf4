#include <trollius_os/services/route_table.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

using trollius_os::RouteTable;
using vocabulary::LinkNo;

TEST(RouteTable, LeadsNowhereAtFirst) {
    const RouteTable table(3);
    EXPECT_EQ(table.size(), 3u);
    for (std::size_t node = 0; node < 3; ++node) EXPECT_FALSE(table[node]);
    EXPECT_EQ(RouteTable().size(), 0u);
}

TEST(RouteTable, KeepsWhatWasSetLast) {
    for (const std::size_t nodes : {1u, 2u, 7u, 64u}) {
        RouteTable table(nodes);
        std::vector<RouteTable::Link> expected(nodes);
        std::mt19937 dice(static_cast<std::uint32_t>(nodes));
        for (int step = 0; step < 1000; ++step) {
            const std::size_t node = dice() % nodes;
            const auto number = static_cast<LinkNo::value_type>(dice() % 5);
            expected[node] = number == 4 ? RouteTable::Link() : LinkNo(number);
            table.set(node, expected[node]);
            for (std::size_t i = 0; i < nodes; ++i) ASSERT_EQ(table[i], expected[i]) << i << " of " << nodes;
        }
        EXPECT_EQ(table, RouteTable(expected));
    }
}

TEST(RouteTable, DiffersInLengthAndInEachLink) {
    const RouteTable table{LinkNo(0), std::nullopt, LinkNo(3)};
    EXPECT_NE(table, (RouteTable{LinkNo(0), std::nullopt, LinkNo(2)}));
    EXPECT_NE(table, (RouteTable{LinkNo(0), std::nullopt, LinkNo(3), std::nullopt}));
    EXPECT_EQ(table, (RouteTable{LinkNo(0), std::nullopt, LinkNo(3)}));
}

TEST(RouteTableDeathTest, HasNoNodeBeyondItsLast) {
    RouteTable table(3);
    EXPECT_DEATH(static_cast<void>(table[3]), "route_table.node");
    EXPECT_DEATH(table.set(3, LinkNo(0)), "route_table.set");
    EXPECT_DEATH(table.set(0, LinkNo(15)), "route_table.set");
}
