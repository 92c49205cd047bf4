#include <scratch/scratch_file.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <vocabulary/errors.hpp>

using scratch::ScratchFile;

namespace {

std::string read(const ScratchFile& file, std::uint64_t offset, std::size_t count) {
    std::string text(count, ' ');
    file.read(offset, text.data(), count);
    return text;
}

}  // namespace

TEST(ScratchFile, ReadsWhatWasAppendedAndOverwritten) {
    ScratchFile file;
    EXPECT_EQ(file.append("seven", 5), 0U);
    EXPECT_EQ(file.append("eleven", 6), 5U);
    file.write(0, "three", 5);
    EXPECT_EQ(read(file, 0, 5), "three");
    EXPECT_EQ(read(file, 5, 6), "eleven");
}

TEST(ScratchFile, AFailureNamesTheFolderAndLeavesTheFileAsItWas) {
    ::setenv("TMPDIR", "/nowhere", 1);
    ScratchFile file;
    try {
        file.append("x", 1);
        ADD_FAILURE() << "no error";
    } catch (const vocabulary::InputError& error) {
        EXPECT_NE(std::string(error.what()).find("/nowhere"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos) << error.what();
    }
    ::unsetenv("TMPDIR");
    EXPECT_EQ(file.append("y", 1), 0U);
    EXPECT_EQ(read(file, 0, 1), "y");
}

TEST(ScratchFile, ShowsPagesInThePlaceOfMemory) {
    constexpr std::size_t bytes = 8192;
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    std::memset(memory, 'a', bytes);
    ScratchFile file;
    file.append(memory, 4096);
    const std::uint64_t second = file.append(memory, bytes);
    file.show(second, bytes, memory);
    EXPECT_EQ(std::string(static_cast<const char*>(memory), bytes), std::string(bytes, 'a'));
    const std::string other(bytes, 'b');
    file.write(second, other.data(), bytes);
    EXPECT_EQ(std::string(static_cast<const char*>(memory), bytes), other) << "the file is there now";
    ::munmap(memory, bytes);
}

TEST(ScratchFileDeathTest, PagesAreShownAtTheBeginOfAPage) {
    std::vector<char> room(3 * 4096, 'a');
    ScratchFile file;
    file.append(room.data(), 4096);
    char* const page = room.data() + (4096 - reinterpret_cast<std::uintptr_t>(room.data()) % 4096);
    EXPECT_DEATH(file.show(0, 4096, page + 1), "scratch_file.show.address");
}

TEST(ScratchFileDeathTest, NothingLiesBeyondTheEnd) {
    ScratchFile file;
    file.append("x", 1);
    char byte = 0;
    EXPECT_DEATH(file.read(1, &byte, 1), "scratch_file.offset");
}
