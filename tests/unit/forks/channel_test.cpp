// Messages between two processes, and plain data as bytes.
#include <gmock/gmock.h>
#include <unistd.h>

#include <forks/channel.hpp>
#include <forks/child_process.hpp>

#include <forks/bytes.hpp>

namespace {

using forks::Bytes;
using forks::make_channel;
using testing::ElementsAre;
using testing::IsEmpty;

}  // namespace

TEST(Channel, CarriesWholeMessagesBothWays) {
    auto [mine, its] = make_channel();
    const pid_t child = forks::fork_child("a test");
    if (child == 0) {
        mine.close();
        while (const auto message = its.receive()) its.send(*message + "!");
        _exit(7);  // the other end was closed
    }
    its.close();
    const std::string large(3'000'000, 'x');  // more than the host keeps of a channel
    for (const std::string& message : {std::string("one"), std::string(), std::string("a\0b", 3), large}) {
        ASSERT_TRUE(mine.send(message));
        EXPECT_EQ(mine.receive(), message + "!");
    }
    mine.close();
    EXPECT_EQ(forks::how_it_ended(forks::wait_for_child(child)), "exit code 7");
}

TEST(Channel, SaysWhenNobodyHasTheOtherEnd) {
    auto [mine, its] = make_channel();
    const pid_t child = forks::fork_child("a test");
    if (child == 0) _exit(0);
    its.close();
    forks::wait_for_child(child);
    EXPECT_EQ(mine.receive(), std::nullopt);
    EXPECT_FALSE(mine.send("x"));  // and no SIGPIPE
    std::string bytes;
    EXPECT_FALSE(mine.receive_some(bytes));
    EXPECT_THAT(bytes, IsEmpty());
}

TEST(Channel, OfWhichHalfAMessageCameGivesNone) {
    auto [mine, its] = make_channel();
    its.send_bytes(std::string("\5\0\0\0\0\0\0\0abc", 11));  // three of five letters
    its.close();
    EXPECT_EQ(mine.receive(), std::nullopt);
}

TEST(Channel, HasAnEndThatMoves) {
    auto [mine, its] = make_channel();
    forks::ChannelEnd other(std::move(its));
    EXPECT_FALSE(its.is_open());  // NOLINT(bugprone-use-after-move): what a moved end says is tested
    other.send("x");
    EXPECT_EQ(mine.receive(), "x");
    its = std::move(other);
    EXPECT_TRUE(its.is_open());
    EXPECT_FALSE(other.is_open());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
}

TEST(Bytes, GiveBackWhatWasPutInTheSameOrder) {
    Bytes in;
    in.put(3.5);
    in.put_all(std::vector<int>{1, 2, 3});
    in.put_text("a text");
    in.put_all(std::vector<double>{});
    in.put_text("");
    in.put(true);
    Bytes out(in.take_bytes());
    EXPECT_EQ(out.get<double>(), 3.5);
    EXPECT_THAT(out.get_all<int>(), ElementsAre(1, 2, 3));
    EXPECT_EQ(out.get_text(), "a text");
    EXPECT_THAT(out.get_all<double>(), IsEmpty());
    EXPECT_EQ(out.get_text(), "");
    EXPECT_TRUE(out.get<bool>());
}

TEST(BytesDeathTest, HaveNoMoreThanWasPut) {
    Bytes in;
    in.put(std::size_t{9});
    const std::string nine = in.take_bytes();
    EXPECT_DEATH(Bytes("abc").get<int>(), "bytes.get'");
    EXPECT_DEATH(Bytes(nine).get_all<int>(), "bytes.get_all");
    EXPECT_DEATH(Bytes(nine + "12345678").get_text(), "bytes.get_text");
}
