// Tables by event or node, against std::map.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

#include <trollius_os/id_table.hpp>
#include <vocabulary/ids.hpp>

using trollius_os::IdTable;
using vocabulary::EventNo;

TEST(IdTable, HoldsWhatAMapHolds) {
    IdTable<EventNo, int> table;
    std::map<std::int32_t, int> map;
    std::mt19937 random(7);
    for (int step = 0; step < 200'000; ++step) {
        // Few keys, so that chains grow and shrink; negative ones as those of services.
        const auto key = static_cast<std::int32_t>(random() % 97) * 1024 - 40'000;
        switch (random() % 4) {
            case 0:
                table.erase(EventNo(key));
                map.erase(key);
                break;
            case 1:
                table[EventNo(key)] = step;
                map[key] = step;
                break;
            default:
                const int* found = table.find(EventNo(key));
                const auto wanted = map.find(key);
                ASSERT_EQ(found != nullptr, wanted != map.end()) << key;
                if (found != nullptr) {
                    ASSERT_EQ(*found, wanted->second) << key;
                }
        }
        ASSERT_EQ(table.size(), map.size());
    }
}

TEST(IdTable, StartsAValueAsNew) {
    IdTable<EventNo, int> table;
    EXPECT_EQ(table.find(EventNo(3)), nullptr);
    EXPECT_EQ(table[EventNo(3)], 0);
    table[EventNo(3)] = 5;
    table.erase(EventNo(3));
    EXPECT_EQ(table[EventNo(3)], 0);
    table.clear();
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.find(EventNo(3)), nullptr);
}
