#include <scratch/record_list.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Record {
    std::uint64_t number = 7;
    std::uint32_t twice = 0;
};
using List = scratch::RecordList<Record>;
constexpr std::size_t block = List::records_in_block;

void fill(List& list, std::size_t until) {
    for (std::size_t i = list.size(); i < until; ++i) list.push_back({i, static_cast<std::uint32_t>(2 * i)});
}
// Its records are 0, 1, 2, ... up to `count`.
bool counts_to(const List& list, std::size_t count) {
    std::size_t next = 0;
    for (const auto& [number, twice] : list) {
        if (number != next || twice != static_cast<std::uint32_t>(2 * next)) return false;
        ++next;
    }
    return next == count && list.size() == count;
}

// For the length of a test.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const char* name) { ::setenv("TMPDIR", name, 1); }
    ~TemporaryFolder() { ::unsetenv("TMPDIR"); }
};

}  // namespace

TEST(RecordList, GivesBackWhatItGotWhereverItLies) {
    for (const std::size_t in_memory : {std::size_t{0}, List::block_bytes, 3 * List::block_bytes, 100 * List::block_bytes}) {
        List list(in_memory);
        EXPECT_TRUE(list.empty());
        EXPECT_TRUE(counts_to(list, 0));
        for (const std::size_t count : {std::size_t{1}, block - 1, block, block + 1, 2 * block, 5 * block + 3, 7 * block}) {
            fill(list, count);
            EXPECT_TRUE(counts_to(list, count)) << in_memory << " bytes in memory, " << count << " records";
        }
    }
}

TEST(RecordList, SeveralReadersDoNotDisturbOneAnother) {
    List list(0);
    fill(list, 3 * block);
    auto behind = list.begin();
    for (auto ahead = list.begin(); ahead != list.end(); ++ahead) {
        if (ahead->number % 3 != 0) continue;
        ASSERT_EQ(behind->number, ahead->number / 3);
        const auto copy = behind++;
        ASSERT_EQ(copy->number, ahead->number / 3);
    }
    EXPECT_EQ(std::count_if(list.begin(), list.end(), [](const Record& record) { return record.number % 2 == 0; }),
              static_cast<std::ptrdiff_t>(3 * block / 2));
    EXPECT_EQ(std::vector<Record>(list.begin(), list.end()).size(), 3 * block);
}

TEST(RecordList, KeepsBlocksInMemoryWhereTheHostHasNoPlaceForThem) {
    const TemporaryFolder nowhere("/nowhere");
    List list(0);
    fill(list, 4 * block + 1);
    EXPECT_TRUE(counts_to(list, 4 * block + 1));
}

// A run forks in the middle, and both halves go on.
TEST(RecordList, BothHalvesOfAForkGoOn) {
    List list(0);
    fill(list, 2 * block + 5);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        for (std::size_t i = 0; i < 3 * block; ++i) list.push_back({1'000'000 + i, 1});
        std::size_t at = 0;
        bool right = list.size() == 5 * block + 5;
        for (const Record& record : list) {
            right = right && record.number == (at < 2 * block + 5 ? at : 1'000'000 + at - (2 * block + 5));
            ++at;
        }
        ::_exit(right ? 0 : 1);
    }
    fill(list, 6 * block);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(counts_to(list, 6 * block));
}
