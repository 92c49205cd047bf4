// The iserver: packets, streams, files below one folder and nowhere else, the console, arguments, environment, clock and exit.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <host_files/host_files.hpp>
#include <iserver/packet.hpp>
#include <iserver/server.hpp>
#include <vocabulary/errors.hpp>

namespace {

using iserver::Tag;

class FakeConsole final : public iserver::Console {
public:
    std::string out, error;
    std::deque<char> in;

    void write(std::string_view text) override { out += text; }
    void write_error(std::string_view text) override { error += text; }
    std::optional<char> read() override {
        if (in.empty()) return std::nullopt;
        const char next = in.front();
        in.pop_front();
        return next;
    }
    std::optional<char> poll() override { return read(); }
};

// Builds a request as a library for transputers does.
class Request {
public:
    explicit Request(Tag tag) { bytes_.push_back(static_cast<std::byte>(tag)); }
    Request& byte(int value) {
        bytes_.push_back(static_cast<std::byte>(value));
        return *this;
    }
    Request& int16(int value) { return byte(value & 0xff).byte(value >> 8 & 0xff); }
    Request& int32(std::int64_t value) {
        return int16(static_cast<int>(value & 0xffff)).int16(static_cast<int>(value >> 16 & 0xffff));
    }
    Request& text(const std::string& text) {
        int16(static_cast<int>(text.size()));
        for (const char c : text) byte(static_cast<unsigned char>(c));
        return *this;
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

// The reply without its length and without the byte that makes it even.
struct Answer {
    int result = -1;
    std::string rest;
    std::int32_t number(std::size_t at = 0) const {
        std::uint32_t value = 0;
        for (std::size_t i = 4; i > 0; --i) value = value << 8 | static_cast<unsigned char>(rest.at(at + i - 1));
        return static_cast<std::int32_t>(value);
    }
    int count(std::size_t at = 0) const {
        return static_cast<unsigned char>(rest.at(at)) | static_cast<unsigned char>(rest.at(at + 1)) << 8;
    }
    std::string text(std::size_t at = 0) const { return rest.substr(at + 2, static_cast<std::size_t>(count(at))); }
};

class Iserver : public testing::Test {
protected:
    Iserver() {
        std::filesystem::create_directories(folder_ + "/root");
        files_ = std::make_unique<host_files::HostFiles>(folder_ + "/root");
        settings_.command_line = "-n 5";
        settings_.whole_command_line = "image.btl -n 5";
        settings_.environment = {{"IBOARDSIZE", "#100000"}};
        server_ = std::make_unique<iserver::Server>(*files_, console_, settings_);
    }
    ~Iserver() override { std::filesystem::remove_all(folder_); }

    Answer ask(const Request& request, std::int64_t seconds = 0) {
        const auto packet = server_->answer(request.bytes(), seconds);
        EXPECT_EQ(packet.size() % 2, 0U);
        Answer answer;
        answer.result = std::to_integer<int>(packet.at(2));
        for (std::size_t i = 3; i < packet.size(); ++i) answer.rest += static_cast<char>(packet[i]);
        return answer;
    }
    Answer open(const std::string& name, int mode, int type = 1) {
        return ask(Request(Tag::Open).text(name).byte(type).byte(mode));
    }
    std::string content(const std::string& name) const {
        std::ifstream in(folder_ + "/" + name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void make(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    }

    std::string folder_ = testing::TempDir() + "iserver_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::unique_ptr<host_files::HostFiles> files_;
    FakeConsole console_;
    iserver::Settings settings_;
    std::unique_ptr<iserver::Server> server_;
};

}  // namespace

TEST_F(Iserver, WritesAndReadsAFile) {
    const Answer made = open("data", 2);
    ASSERT_EQ(made.result, 0);
    EXPECT_EQ(made.number(), 3);
    EXPECT_EQ(ask(Request(Tag::Write).int32(3).text("one\ntwo")).count(), 7);
    EXPECT_EQ(ask(Request(Tag::Puts).int32(3).text("!")).result, 0);
    EXPECT_EQ(ask(Request(Tag::Tell).int32(3)).number(), 9);
    EXPECT_EQ(ask(Request(Tag::Close).int32(3)).result, 0);
    EXPECT_EQ(content("root/data"), "one\ntwo!\n");
    EXPECT_EQ(open("data", 1).number(), 3);
    EXPECT_EQ(ask(Request(Tag::Gets).int32(3).int16(100)).text(), "one");
    EXPECT_EQ(ask(Request(Tag::Eof).int32(3)).result, 129);
    EXPECT_EQ(ask(Request(Tag::Read).int32(3).int16(100)).text(), "two!\n");
    EXPECT_EQ(ask(Request(Tag::Eof).int32(3)).result, 0);
    EXPECT_EQ(ask(Request(Tag::Gets).int32(3).int16(100)).result, 129);
    EXPECT_EQ(ask(Request(Tag::Seek).int32(3).int32(-2).int32(3)).result, 0);
    EXPECT_EQ(ask(Request(Tag::Read).int32(3).int16(1)).text(), "!");
    EXPECT_EQ(ask(Request(Tag::Write).int32(3).text("x")).count(), 0);  // not opened for that
    EXPECT_EQ(ask(Request(Tag::Ferror).int32(3)).result, 0);
}

TEST_F(Iserver, OpensAsTheModeSays) {
    make("root/old", "12345");
    EXPECT_EQ(open("missing", 1).result, 129);
    EXPECT_EQ(open("missing", 4).result, 129);
    EXPECT_EQ(open("old", 3).number(), 3);
    EXPECT_EQ(ask(Request(Tag::Write).int32(3).text("6")).count(), 1);
    EXPECT_EQ(open("old", 4).number(), 4);
    EXPECT_EQ(ask(Request(Tag::Write).int32(4).text("x")).count(), 1);
    EXPECT_EQ(content("root/old"), "x23456");
    EXPECT_EQ(open("old", 5).number(), 5);
    EXPECT_EQ(content("root/old"), "");
    for (const int mode : {0, 7}) EXPECT_EQ(open("old", mode).result, 129);
    EXPECT_EQ(open("old", 1, 3).result, 129);
}

TEST_F(Iserver, TouchesNothingOutsideItsFolder) {
    make("outside", "secret");
    std::filesystem::create_symlink("../outside", folder_ + "/root/link");
    std::filesystem::create_directory_symlink("..", folder_ + "/root/up");
    ASSERT_EQ(mkfifo((folder_ + "/root/fifo").c_str(), 0600), 0);
    for (const char* name : {"../outside", "a/../../outside", "link", "up/outside", "/etc/passwd", "/dev/null", "fifo", "",
                             "..", ".", "up/../../outside"}) {
        for (int mode = 1; mode <= 6; ++mode) EXPECT_EQ(open(name, mode).result, 129) << name << ", mode " << mode;
        EXPECT_EQ(ask(Request(Tag::Rename).text(name).text("taken")).result, 129) << name;
    }
    for (const char* name : {"../outside", "up/outside", "/etc/passwd", ".."})
        EXPECT_EQ(ask(Request(Tag::Remove).text(name)).result, 129) << name;
    EXPECT_EQ(content("outside"), "secret");
}

TEST_F(Iserver, RefusesNegativeCountsAndFilesWithTheNameOfAFolder) {
    ASSERT_EQ(open("a.txt", 5).number(), 3);
    EXPECT_EQ(ask(Request(Tag::Read).int32(3).int16(-1)).result, 129);
    EXPECT_EQ(ask(Request(Tag::Gets).int32(0).int16(-1)).result, 129);
    for (const char* name : {"a.txt/", "a.txt/.", "new/", ".", "a.txt/.."}) {
        EXPECT_EQ(open(name, 1).result, 129) << name;
        EXPECT_EQ(open(name, 2).result, 129) << name;
    }
    EXPECT_EQ(ask(Request(Tag::Remove).text("a.txt/")).result, 129);
    EXPECT_EQ(ask(Request(Tag::Remove).text("a.txt")).result, 0);
}

TEST_F(Iserver, RemovesAndRenames) {
    make("root/a", "1");
    EXPECT_EQ(ask(Request(Tag::Rename).text("a").text("./sub/../b")).result, 0);
    EXPECT_EQ(content("root/b"), "1");
    EXPECT_EQ(ask(Request(Tag::Remove).text("b")).result, 0);
    EXPECT_EQ(ask(Request(Tag::Remove).text("b")).result, 129);
}

TEST_F(Iserver, ServesTheConsole) {
    console_.in = {'a', 'b', '\n', 'c'};
    EXPECT_EQ(ask(Request(Tag::Puts).int32(1).text("hello")).result, 0);
    EXPECT_EQ(ask(Request(Tag::Write).int32(2).text("oh")).count(), 2);
    EXPECT_EQ(console_.out, "hello\n");
    EXPECT_EQ(console_.error, "oh");
    EXPECT_EQ(ask(Request(Tag::GetKey)).rest.at(0), 'a');
    EXPECT_EQ(ask(Request(Tag::Gets).int32(0).int16(80)).text(), "b");
    EXPECT_EQ(ask(Request(Tag::PollKey)).rest.at(0), 'c');
    EXPECT_EQ(ask(Request(Tag::PollKey)).result, 129);
    EXPECT_EQ(ask(Request(Tag::Flush).int32(1)).result, 0);
    EXPECT_EQ(ask(Request(Tag::Flush).int32(9)).result, 129);
}

TEST_F(Iserver, TellsArgumentsEnvironmentAndModelledTime) {
    EXPECT_EQ(ask(Request(Tag::CommandLine).byte(0)).text(), "-n 5");
    EXPECT_EQ(ask(Request(Tag::CommandLine).byte(1)).text(), "image.btl -n 5");
    EXPECT_EQ(ask(Request(Tag::GetEnv).text("IBOARDSIZE")).text(), "#100000");
    EXPECT_EQ(ask(Request(Tag::GetEnv).text("PATH")).result, 129);
    const Answer time = ask(Request(Tag::Time), 61);
    EXPECT_EQ(time.number(0), 725'846'400 + 61);
    EXPECT_EQ(time.number(4), 725'846'400 + 61);
    EXPECT_EQ(ask(Request(Tag::Version)).rest.substr(0, 4), std::string("\x0a\x05\x04\x02"));
    EXPECT_EQ(ask(Request(Tag::System).text("touch here")).result, 1);
    EXPECT_EQ(ask(Request(Tag::Core).int32(0).int16(4)).result, 129);
    EXPECT_EQ(ask(Request(static_cast<Tag>(77))).result, 1);
}

TEST_F(Iserver, TellsTheStatusOfExit) {
    for (const auto& [status, told] :
         std::vector<std::pair<std::int32_t, std::int32_t>>{{999'999'999, 0}, {-999'999'999, 1}, {-3, -3}}) {
        iserver::Server server(*files_, console_, settings_);
        EXPECT_FALSE(server.exit_status());
        server.answer(Request(Tag::Exit).int32(status).bytes(), 0);
        EXPECT_EQ(server.exit_status(), told);
    }
}

TEST_F(Iserver, RefusesARequestThatIsTooShort) {
    for (int tag = 0; tag < 256; ++tag) {
        for (const std::size_t bytes : {0, 1, 3}) {
            std::vector<std::byte> request{static_cast<std::byte>(tag)};
            request.resize(1 + bytes, std::byte{0xff});
            if (tag == static_cast<int>(Tag::CommandLine) && bytes > 0) continue;  // one byte is all it needs
            const auto reply = server_->answer(request, 0);
            const bool needs_nothing = tag == 30 || tag == 31 || tag == 33 || tag == 41 || tag == 42;
            if (needs_nothing) continue;
            EXPECT_NE(reply.at(2), std::byte{0}) << "tag " << tag << ", " << bytes;
        }
    }
}

TEST(IserverPackets, AreCutFromAnyPieces) {
    iserver::PacketReader reader;
    const std::string sent("\x06\x00\x23\x07\x00\x00\x00\x00", 8);
    for (std::size_t i = 0; i + 1 < sent.size(); ++i) {
        EXPECT_GE(reader.wants(), 1U);
        EXPECT_FALSE(reader.take(std::as_bytes(std::span(sent).subspan(i, 1))));
    }
    const auto packet = reader.take(std::as_bytes(std::span(sent).subspan(7)));
    ASSERT_TRUE(packet);
    EXPECT_EQ(packet->size(), 6U);
    EXPECT_EQ(reader.wants(), 2U);
}

TEST(IserverPackets, OfAnotherProtocolAreRefused) {
    for (const std::string& length : {std::string("\x07\x00", 2), std::string("\x04\x00", 2), std::string("\xfe\xff", 2)}) {
        iserver::PacketReader reader;
        EXPECT_THROW(reader.take(std::as_bytes(std::span(length))), vocabulary::RequestError);
    }
}
