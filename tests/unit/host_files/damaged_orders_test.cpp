// Damaged requests to filed: each one is answered, and nothing outside the folder is touched.
#include <cerrno>
#include <random>

#include "file_bench.hpp"

namespace {

using namespace trollius_os;  // NOLINT: the calls and their flags
using file_test::FileBench;
using services::FileOrder;
using services::FileOrderCall;

// A word that is often near the sense of one.
std::int32_t any_word(std::mt19937& random) {
    constexpr std::array<std::int32_t, 12> edges = {0, 1, 2, 3, 4, -1, INT32_MIN, INT32_MAX, 0x200, 0x202, 0x70fff, 4096};
    return random() % 4 == 0 ? static_cast<std::int32_t>(random()) : edges[random() % edges.size()];
}

std::string any_body(std::mt19937& random) {
    constexpr std::array<const char*, 8> names = {"a", "inner", "inner/file", "../outside/secret", "/no/such/name",
                                                  "b", "..",    "inner/../b"};
    std::string body = names[random() % names.size()];
    if (random() % 3 == 0) body += '\0' + std::string(names[random() % names.size()]);
    if (random() % 8 == 0) body = std::string(random() % 4'097, static_cast<char>(random()));
    return body;
}

}  // namespace

TEST(DamagedOrders, AreAnsweredAndStayInside) {
    FileBench bench;
    std::mt19937 random(1);
    const std::string outside = bench.tree("outside");
    bench.on_node(1, [&](Api& api) {
        for (int i = 0; i < 3'000; ++i) {
            FileOrder order{.caller = services::caller(api),
                            .call = static_cast<FileOrderCall>(14 + random() % 26),
                            .descriptor = any_word(random),
                            .number = any_word(random),
                            .other = any_word(random)};
            if (order.call == FileOrderCall::Ftrunc || order.call == FileOrderCall::Trunc || order.call == FileOrderCall::Lseek)
                order.number &= 0xffff;  // no large files on the disk
            if (order.call == FileOrderCall::Write && order.number == 1) continue;
            std::string body = any_body(random);
            Message request =
                services::request_to(api.kernel().host(), events::filed, order, std::as_writable_bytes(std::span(body)));
            api.nsend(request);
            std::vector<std::byte> room(4'096);
            const Message answer = services::await_answer(api, room);
            EXPECT_LE(answer.length, 4'096u);
            const auto reply = decode<services::FileReply>(answer);
            EXPECT_TRUE(order.sound() || reply.error == errors::bad_request);
        }
    });
    EXPECT_EQ(bench.tree("outside"), outside);
}

TEST(DamagedOrders, OfAnUnknownCallAreRefused) {
    for (const std::int32_t call : {-1, 0, 4, 15, 38, INT32_MIN, INT32_MAX})
        EXPECT_FALSE(decode<FileOrder>({.data = encode(FileOrder{.call = static_cast<FileOrderCall>(call)})})) << call;
    for (std::int32_t call = 16; call < 38; ++call)
        EXPECT_TRUE(decode<FileOrder>({.data = encode(FileOrder{.call = static_cast<FileOrderCall>(call)})})) << call;
}

TEST(DamagedOrders, HaveTheirWordsAtTheirPlaces) {
    const FileOrder order{
        .caller = {NodeId(3), EventNo(-41)}, .call = FileOrderCall::Lseek, .descriptor = 5, .number = -6, .other = 2};
    EXPECT_THAT(encode(order), testing::ElementsAre(0, 3, -41, 20, 5, -6, 2, 0));
    EXPECT_THAT(encode(services::FileReply{7, EACCES, 1, 0644, 9}), testing::ElementsAre(7, EACCES, 1, 0644, 9, 0, 0, 0));
}
