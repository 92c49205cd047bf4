#include <scratch/record_store.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

using scratch::RecordStore;

namespace {

// Pieces of several lists, remembered beside the store.
class Pieces {
public:
    explicit Pieces(RecordStore& store) : store_(store) {}
    void add(std::size_t list, std::size_t bytes) {
        std::vector<std::byte> piece(bytes);
        for (std::byte& byte : piece) byte = static_cast<std::byte>(next_ = next_ * 1'664'525 + 1'013'904'223);
        places_.push_back(store_.add(list, piece.data(), bytes));
        copies_.push_back(std::move(piece));
    }
    bool are_there(bool leave = false) const {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (!std::equal(copies_[i].begin(), copies_[i].end(), places_[i])) return false;
            if (leave) store_.leave(places_[i]);
        }
        return true;
    }

private:
    RecordStore& store_;
    std::uint32_t next_ = 1;
    std::vector<const std::byte*> places_;
    std::vector<std::vector<std::byte>> copies_;
};

// Resident memory of the mapping that begins there, in KiB.
long resident_kib(const std::byte* begin) {
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        unsigned long long from = 0, to = 0;
        long kib = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2) here = from == reinterpret_cast<std::uintptr_t>(begin);
        if (here && std::sscanf(line.c_str(), "Rss: %ld", &kib) == 1) return kib;
    }
    return -1;
}

// 4 MB in three lists.
void fill(Pieces& pieces) {
    for (std::size_t i = 0; i < 1000; ++i) pieces.add(i % 3, 32 * (1 + i % 250));
}

}  // namespace

TEST(RecordStore, RecordsKeepTheirAddressesOnDiskAndInMemory) {
    for (const std::size_t in_memory : {std::size_t{0}, std::size_t{1} << 20, std::size_t{1} << 30}) {
        RecordStore store(in_memory);
        Pieces pieces(store);
        fill(pieces);
        EXPECT_EQ(store.bytes_on_disk() > 0, in_memory < std::size_t{1} << 30);
        EXPECT_TRUE(pieces.are_there(true)) << in_memory;
        EXPECT_TRUE(pieces.are_there()) << in_memory << " bytes in memory, after all were left";
    }
}

TEST(RecordStore, APieceLargerThanABlockHasABlockOfItsOwn) {
    RecordStore store(0);
    Pieces pieces(store);
    pieces.add(0, (3 << 20) - 1);
    pieces.add(0, 32);
    pieces.add(0, 0);
    EXPECT_EQ(store.bytes_on_disk(), std::size_t{3} << 20);
    EXPECT_TRUE(pieces.are_there(true));
}

// The host often puts a new block next to the one before. A piece that ends a block and one that begins the next stay apart.
TEST(RecordStore, PiecesOfTwoBlocksAreNeverSideBySide) {
    RecordStore store(0);
    const std::vector<std::byte> piece(4096, std::byte{7});
    std::vector<const std::byte*> places;
    for (int i = 0; i < 200; ++i) places.push_back(store.add(static_cast<std::size_t>(i) % 2, piece.data(), piece.size()));
    std::size_t blocks = 1;
    for (std::size_t i = 2; i < places.size(); i += 2) blocks += places[i] == places[i - 2] + piece.size() ? 0 : 1;
    EXPECT_EQ(blocks, 19U) << "9 of four pages with three pieces each, then 10 that grow by an eighth of the list";
}

TEST(RecordStore, LeavingABlockTakesItOutOfMemory) {
    RecordStore store(0);
    const std::vector<std::byte> piece((1 << 20) - 1, std::byte{7});
    const std::byte* const place = store.add(0, piece.data(), piece.size());
    store.add(0, piece.data(), 1);  // the first block is full
    EXPECT_EQ(resident_kib(place), 0);
    std::byte sum{};
    for (std::size_t i = 0; i < piece.size(); i += 4096) sum ^= place[i];
    EXPECT_EQ(resident_kib(place), 1024) << static_cast<int>(sum);
    store.leave(place + 5000);
    EXPECT_EQ(resident_kib(place), 0);
    EXPECT_EQ(place[piece.size() - 1], std::byte{7});
}

TEST(RecordStore, KeepsBlocksInMemoryWhereTheHostHasNoPlaceForThem) {
    ::setenv("TMPDIR", "/nowhere", 1);
    RecordStore store(0);
    Pieces pieces(store);
    fill(pieces);
    ::unsetenv("TMPDIR");
    EXPECT_EQ(store.bytes_on_disk(), 0U);
    EXPECT_TRUE(pieces.are_there(true));
}

TEST(RecordStore, BothHalvesOfAForkGoOn) {
    RecordStore store(0);
    Pieces pieces(store);
    fill(pieces);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    fill(pieces);
    if (child == 0) {
        pieces.add(1, 64);
        fill(pieces);
        ::_exit(pieces.are_there(true) && pieces.are_there() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(pieces.are_there(true) && pieces.are_there());
}

#ifndef __SANITIZE_ADDRESS__  // its shadow needs more addresses than the limit leaves
TEST(RecordStore, GoesOnAfterTheHostRefusedABlock) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        RecordStore store(0);
        Pieces pieces(store);
        fill(pieces);
        pieces.add(0, 64);
        const std::vector<std::byte> large(std::size_t{64} << 20);
        const rlimit most{std::size_t{80} << 20, RLIM_INFINITY};
        bool refused = false;
        if (::setrlimit(RLIMIT_AS, &most) == 0) {
            try {
                store.add(0, large.data(), large.size());
            } catch (const std::bad_alloc&) {
                refused = true;
            }
        }
        const rlimit no_limit{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_AS, &no_limit);
        pieces.add(0, 64);
        fill(pieces);
        ::_exit(refused && pieces.are_there(true) && pieces.are_there() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif
