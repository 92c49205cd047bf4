// ProcessImage: bytes for files and back, and the places where two of them differ.
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <user_programs/process_image.hpp>
#include <vocabulary/errors.hpp>

namespace {

using user_programs::ProcessImage;

ProcessImage small_image() {
    ProcessImage its;
    its.addresses = {
        .module = 0x1000, .c_library = 0x2000, .cpp_library = 0x3000, .magicwire = 0x4000, .error = 0x5000, .variables = 0};
    its.guard = 0x1122334455667788;
    its.registers = {.frame = 1, .instruction = 2, .stack = 3, .modes = 4, .old_modes = 5};
    its.data_at = 0x80;
    its.data.assign(40, std::byte{1});
    its.startup.assign(8, std::byte{2});
    its.thread.assign(16, std::byte{3});
    its.stack.assign(24, std::byte{4});
    its.zeroed.emplace_back(4096, ProcessImage::Bytes(16, std::byte{5}));
    its.blocks.push_back({0x30000040, 10, ProcessImage::Bytes(26, std::byte{6})});
    its.unfinished_line = "half a line";
    its.error = 11;
    return its;
}

TEST(ProcessImage, ComesBackFromItsBytes) {
    const ProcessImage one = small_image();
    const ProcessImage two = ProcessImage::parse(one.serialize());
    EXPECT_EQ(two.serialize(), one.serialize());
    EXPECT_EQ(two.addresses, one.addresses);
    EXPECT_EQ(two.stack, one.stack);
    EXPECT_EQ(two.unfinished_line, "half a line");
    EXPECT_EQ(two.memory_hash(), one.memory_hash());
    EXPECT_EQ(two.first_difference(one), "");
}

TEST(ProcessImage, IsRefusedWhenBytesAreMissingOrTooMany) {
    const std::string whole = small_image().serialize();
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
        EXPECT_THROW(ProcessImage::parse(whole.substr(0, cut)), vocabulary::InputError) << cut;
    EXPECT_THROW(ProcessImage::parse(whole + "x"), vocabulary::InputError);
}

TEST(ProcessImage, NamesThePlaceOfADifference) {
    const ProcessImage one = small_image();
    const auto differs = [&one](const ProcessImage& other) {
        EXPECT_NE(one.memory_hash(), other.memory_hash());
        return one.first_difference(other);
    };
    ProcessImage other = one;
    other.data[4] = std::byte{9};
    EXPECT_EQ(differs(other), "globals at 0x84 of the module");
    other = one;
    other.thread[3] = std::byte{9};
    EXPECT_EQ(differs(other), "thread-local variables at 0x3");
    other = one;
    other.zeroed[0].second[0] = std::byte{9};
    EXPECT_EQ(differs(other), "static arrays");
    other = one;
    other.blocks[0].content[2] = std::byte{9};
    EXPECT_EQ(differs(other), "the heap at 0x30000042");
    other = one;
    other.blocks.clear();
    EXPECT_EQ(differs(other), "the number of blocks of the heap");
    other = one;
    other.stack[0] = std::byte{9};
    EXPECT_EQ(one.memory_hash(), other.memory_hash()) << "stacks have words that no variable has";
}

TEST(ProcessImage, FitsWhereAllLiesAlike) {
    ProcessImage::Addresses its = small_image().addresses, now = its;
    now.variables = 0x9000;
    EXPECT_TRUE(its.fit(now)) << "nothing points to thread-local variables";
    its.variables = 0x8000;
    EXPECT_FALSE(its.fit(now));
    its.variables = 0x9000;
    EXPECT_TRUE(its.fit(now));
    now.module += 0x1000;
    EXPECT_FALSE(its.fit(now));
}

TEST(ProcessImage, FindsWordsThatMayBeAddresses) {
    ProcessImage its = small_image();
    EXPECT_FALSE(its.may_point_to(0x7000, 0x7010));
    its.stack[8] = std::byte{0x08};
    its.stack[9] = std::byte{0x70};
    for (std::size_t at = 10; at < 16; ++at) its.stack[at] = std::byte{0};
    EXPECT_TRUE(its.may_point_to(0x7000, 0x7010));
    EXPECT_FALSE(its.may_point_to(0x7000, 0x7008));
}

}  // namespace
