// The part of a module's globals that no file fills: only pages that hold something are kept.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <fstream>
#include <string>

#include "zeroed_area.hpp"

using user_programs::ZeroedArea;

namespace {

constexpr std::size_t area_bytes = (std::size_t{64} << 20) + 100, area_page = 4096;

struct MappedArea {
    std::byte* begin = static_cast<std::byte*>(
        mmap(nullptr, area_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ~MappedArea() { munmap(begin, area_bytes); }
    ZeroedArea area{begin, area_bytes};
};

// Kilobytes of this process in the host's memory.
std::size_t resident_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t kilobytes = 0;
        if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
    }
    return 0;
}

}  // namespace

TEST(ZeroedArea, KeepsThePagesThatHoldSomething) {
    MappedArea mapped;
    EXPECT_TRUE(mapped.area.content().empty());
    mapped.begin[5 * area_page + 7] = std::byte{1};
    mapped.begin[9 * area_page] = std::byte{};  // touched, and still zero
    mapped.begin[area_bytes - 1] = std::byte{2};
    const ZeroedArea::Pages pages = mapped.area.content();
    ASSERT_EQ(pages.size(), 2u);
    EXPECT_EQ(pages[0].first, 5 * area_page);
    EXPECT_EQ(pages[0].second[7], std::byte{1});
    EXPECT_EQ(pages[1].first, area_bytes / area_page * area_page);
    EXPECT_EQ(pages[1].second.size(), 100u);
}

TEST(ZeroedArea, PutsThemBackAndNothingElse) {
    MappedArea mapped;
    mapped.begin[area_page] = std::byte{3};
    const ZeroedArea::Pages pages = mapped.area.content();
    mapped.begin[area_page] = std::byte{4};
    mapped.begin[77 * area_page] = std::byte{5};
    mapped.area.put(pages);
    EXPECT_EQ(mapped.begin[area_page], std::byte{3});
    EXPECT_EQ(mapped.begin[77 * area_page], std::byte{});
}

TEST(ZeroedArea, TakesNoMemoryForPagesThatNobodyTouched) {
    MappedArea mapped;
    mapped.begin[0] = std::byte{1};
    const std::size_t before = resident_kilobytes();
    mapped.area.put(mapped.area.content());
    EXPECT_LT(resident_kilobytes(), before + 4096);
}
