// Files messages.mwm: what is written is read again, and a file that was cut off or damaged is refused.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tmon_recovery/message_log.hpp>
#include <vocabulary/errors.hpp>

namespace {

using tmon_recovery::MessageLog;
using tmon_recovery::MessageLogWriter;

class MessageLogFile : public testing::Test {
protected:
    MessageLogFile()
        : path_(testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".mwm") {}
    ~MessageLogFile() override { std::filesystem::remove(path_); }

    void write(std::uint32_t packets) const {
        MessageLogWriter writer(path_, "{}");
        for (std::uint32_t number = 0; number < packets; ++number) {
            const std::array<std::uint32_t, 8> words{number, 7, 1};
            const std::vector<std::byte> body(number % 97, std::byte(number));
            writer.add(3 * number, std::as_bytes(std::span(words)), body);
        }
        writer.finish();
    }
    std::string bytes() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

    std::string path_;
};

TEST_F(MessageLogFile, HasWhatWasWritten) {
    constexpr std::uint32_t packets = 20000;  // some blocks
    write(packets);
    const MessageLog log(path_);
    EXPECT_EQ(log.manifest(), "{}");
    EXPECT_EQ(log.size(), packets);
    for (std::uint32_t number = 0; number < packets; ++number) {
        const std::span<const std::byte> content = log.content(3 * number);
        ASSERT_EQ(content.size(), 32 + number % 97);
        EXPECT_EQ(content[0], std::byte(number & 0xffU));
        EXPECT_TRUE(content.size() == 32 || content.back() == std::byte(number & 0xffU));
    }
    EXPECT_TRUE(log.content(1).empty());
    EXPECT_TRUE(log.content(3 * packets).empty());
}

TEST_F(MessageLogFile, RefusesOneThatWasCutOffAtAnyByte) {
    write(20);
    const std::string whole = bytes();
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
        put(whole.substr(0, cut));
        EXPECT_THROW(MessageLog{path_}, vocabulary::InputError) << cut;
    }
}

TEST_F(MessageLogFile, RefusesOneWithAChangedByteInItsPackets) {
    write(20);
    const std::string whole = bytes();
    const std::size_t packets = whole.find("{}") + 2;
    for (std::size_t at = packets; at + 17 < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        put(damaged);
        EXPECT_THROW(MessageLog{path_}, vocabulary::InputError) << at;
    }
}

}  // namespace
