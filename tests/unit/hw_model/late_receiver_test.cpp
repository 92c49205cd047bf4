// The receiver of a message comes late. At byte level the first byte is then in the buffer. At message level no byte is on the
// way. docs/model/timing_model.md says how much earlier the message arrives at byte level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "child_process.hpp"
#include "relay_pair.hpp"

using hw_model::LinkLevel;
using hw_test::RelayPair;
using hw_test::SimTime;

namespace {

struct Times {
    std::int64_t receiver_ps = 0, sender_ps = 0;
};

Times late(LinkLevel level, std::int64_t bits_per_second, std::uint32_t passes, std::uint32_t bytes) {
    return test_support::in_child([&] {
               RelayPair pair(level, bits_per_second, hw_test::costs(), passes);
               auto& message = pair.prepare(0, bytes);
               pair.script.at(SimTime::us(10), [&] { message.send(); });
               pair.script.at(SimTime::us(100), [&] { message.receive(); });
               pair.run();
               return Times{message.arrived().in_ps(), message.sender_went_on().in_ps()};
           })
        .value_or(Times{});
}

double turn_round(std::int64_t bits_per_second, const char* of) {
    return hw_test::costs().get("link.turn_round_" + std::to_string(bits_per_second / 1'000'000) + of, "bits");
}

class LateReceiver : public testing::TestWithParam<std::tuple<std::int64_t, std::uint32_t>> {};

}  // namespace

TEST_P(LateReceiver, IsServedEarlierAtByteLevelByAtMostTheTimeOfAByte) {
    const auto [bits_per_second, passes] = GetParam();
    const double bit_ps = 1e12 / static_cast<double>(bits_per_second), d = 1.75 * passes;
    const double x_d = turn_round(bits_per_second, "_data"), x_a = turn_round(bits_per_second, "_acknowledge");
    const double period = std::max(11.0, x_d + x_a + 2 * d);
    for (const std::uint32_t bytes : {1, 2, 100}) {
        const Times message = late(LinkLevel::Message, bits_per_second, passes, bytes),
                    byte = late(LinkLevel::Byte, bits_per_second, passes, bytes);
        const double earlier = static_cast<double>(message.receiver_ps - byte.receiver_ps) / bit_ps;
        EXPECT_NEAR(earlier, bytes == 1 ? period : 2 * period - 2 * d - x_d - 11, 0.02) << bytes << " bytes";
        EXPECT_LE(earlier * bit_ps, 3.8e6 + 1) << bytes << " bytes";
        const double sender = static_cast<double>(message.sender_ps - byte.sender_ps) / bit_ps;
        EXPECT_NEAR(sender, period - d - x_d, 0.02) << bytes << " bytes";
    }
}
INSTANTIATE_TEST_SUITE_P(Links, LateReceiver,
                         testing::Combine(testing::Values(5'000'000, 10'000'000, 20'000'000), testing::Values(0U, 1U, 2U, 3U)));
