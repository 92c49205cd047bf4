// The requests that bufferd has not served yet.
#include <gmock/gmock.h>

#include "services/askers.hpp"

using trollius_os::BufferAsker;
using trollius_os::EventNo;
using trollius_os::services::Askers;
using vocabulary::ProcessId;

namespace {
constexpr EventNo wanted{77}, unwanted{78};
const auto all_still_ask = [](const BufferAsker&) { return true; };
const auto nobody_asks = [](const BufferAsker&) { return false; };
}  // namespace

TEST(Askers, AreServedInTheOrderOfTheirRequests) {
    Askers askers;
    askers.add({unwanted, 0, {ProcessId(1), 1}}, all_still_ask);
    askers.add({wanted, 4, {ProcessId(5), 1}}, all_still_ask);
    askers.add({wanted, 0, {ProcessId(9), 1}}, all_still_ask);
    EXPECT_TRUE(askers.any_at(wanted));
    EXPECT_EQ(askers.take(wanted, 2)->pid, ProcessId(9));
    EXPECT_EQ(askers.take(wanted, 2), std::nullopt);
    EXPECT_EQ(askers.take(wanted, 6)->pid, ProcessId(5));
    EXPECT_FALSE(askers.any_at(wanted));
    EXPECT_EQ(askers.size(), 1u);
    askers.forget(ProcessId(1));
    EXPECT_EQ(askers.size(), 0u);
}

TEST(Askers, ThatAreDoomedDoNotPileUp) {
    Askers askers;
    askers.add({wanted, 0, {ProcessId(1), 0}}, nobody_asks);  // of a link's worker
    for (std::uint32_t i = 1; i < 1000; ++i) {
        askers.add({unwanted, 0, {ProcessId(4 * i + 1), 1}}, nobody_asks);
        ASSERT_LE(askers.size(), Askers::most_old);
    }
    EXPECT_TRUE(askers.any_at(wanted));
}

TEST(Askers, ThatStillWaitStay) {
    Askers askers;
    for (std::uint32_t i = 0; i < 200; ++i) askers.add({wanted, 0, {ProcessId(4 * i + 1), 1}}, all_still_ask);
    EXPECT_EQ(askers.size(), 200u);
}
