// A Laggard beside the queue cannot be told from events: order, now() and next_time().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <hw_model/timeline.hpp>

namespace {

using hw_model::Timeline;
using hw_model::TimelineHistory;
using vocabulary::SimTime;

// Notes the number of each event that fires.
class Firings final : public Timeline::Handler {
public:
    explicit Firings(Timeline& timeline) : timeline_(timeline) {}
    std::vector<std::pair<std::int64_t, std::uint32_t>> fired;

private:
    void fire(std::uint32_t what) override { fired.emplace_back(timeline_.now().in_us(), what); }
    Timeline& timeline_;
};

// One step a microsecond, up to a last one.
class Ticker final : public hw_model::Laggard {
public:
    explicit Ticker(std::int64_t last) : last_(last) {}
    SimTime rest_at(SimTime limit) override {
        while (next_step() <= limit) ++done;
        return SimTime::us(done);
    }
    SimTime next_step() const override { return done < last_ ? SimTime::us(done + 1) : SimTime::never(); }
    std::int64_t done = 0;

private:
    std::int64_t last_;
};

class TimelineWithHistory : public testing::Test {
protected:
    TimelineWithHistory() { timeline.keep_history(true); }
    Timeline timeline;
    Firings seen{timeline};
};

TEST_F(TimelineWithHistory, RestsAtTheLastStepOfALaggard) {
    Ticker ticker(20);
    timeline.history()->add(ticker);
    timeline.post(SimTime::us(30), 0, seen, 1);
    EXPECT_EQ(timeline.next_time(), SimTime::us(1));
    timeline.run_until(SimTime::ns(7'500));
    EXPECT_EQ(timeline.now(), SimTime::us(7));
    EXPECT_EQ(timeline.next_time(), SimTime::us(8));
    timeline.run_until(SimTime::us(25));
    EXPECT_EQ(timeline.now(), SimTime::us(20));
    EXPECT_EQ(timeline.next_time(), SimTime::us(30));
    timeline.history()->remove(ticker, SimTime::us(20));
    timeline.run_until(SimTime::us(40));
    EXPECT_EQ(timeline.now(), SimTime::us(30));
}

TEST_F(TimelineWithHistory, DoesNotRestAtAnEventThatDoesNotCount) {
    struct Silent final : Timeline::Handler {
        explicit Silent(Timeline& timeline) : its(timeline) {}
        void fire(std::uint32_t) override { its.history()->do_not_count(); }
        Timeline& its;
    } silent(timeline);
    timeline.post(SimTime::us(1), 0, seen, 1);
    timeline.post(SimTime::us(2), 0, silent, 0);
    timeline.run_until(SimTime::us(3));
    EXPECT_EQ(timeline.now(), SimTime::us(1));
}

// The step at 1 us and node 2 would have posted an event for 5 us: after what was posted by then, before the rest.
TEST_F(TimelineWithHistory, FindsThePlaceOfAnEventThatWasNeverPosted) {
    class Poster final : public Timeline::Handler {
    public:
        Poster(Timeline& timeline, Timeline::Handler& seen) : timeline_(timeline), seen_(seen) {}

    private:
        void fire(std::uint32_t what) override { timeline_.post(SimTime::us(5), 7, seen_, what); }
        Timeline& timeline_;
        Timeline::Handler& seen_;
    } poster(timeline, seen);
    timeline.post(SimTime::us(1), 1, poster, 10);  // before the step
    timeline.post(SimTime::us(1), 2, poster, 20);  // its node; the step has a later number
    timeline.post(SimTime::us(1), 2, poster, 21);  // its node; the step has an earlier number
    timeline.post(SimTime::us(1), 3, poster, 30);  // after the step
    timeline.run_until(SimTime::us(2));
    const std::uint64_t own = 5;  // between the second and the third
    const std::uint64_t number = timeline.history()->number(SimTime::us(1), 2, [] { return own; });
    timeline.post_as(number, SimTime::us(5), 7, seen, 99);
    timeline.run_until(SimTime::us(6));
    EXPECT_THAT(seen.fired, testing::ElementsAre(testing::Pair(5, 10), testing::Pair(5, 20), testing::Pair(5, 99),
                                                 testing::Pair(5, 21), testing::Pair(5, 30)));
}

TEST_F(TimelineWithHistory, ForgetsOldPlacesAndKnowsThoseWithinTheSpan) {
    timeline.history()->remember(SimTime::us(3));
    for (int us = 1; us <= 5000; ++us) timeline.post(SimTime::us(us), 1, seen, 0);
    timeline.run_until(SimTime::us(5000));
    EXPECT_EQ(timeline.history()->number(SimTime::us(4998), 1, [] { return std::uint64_t{0}; }), timeline.last_number() + 1);
}

TEST_F(TimelineWithHistory, WithdrawsAnEvent) {
    timeline.post(SimTime::us(4), 0, seen, 1);
    timeline.post(SimTime::us(4), 0, seen, 2);
    Firings other(timeline);
    timeline.post(SimTime::us(4), 0, other, 3);
    timeline.post(SimTime::us(300), 0, other, 4);
    timeline.withdraw(SimTime::us(4), other);
    timeline.withdraw(SimTime::us(300), other);
    EXPECT_EQ(timeline.next_time(), SimTime::us(4));
    timeline.run_until(SimTime::us(500));
    EXPECT_THAT(seen.fired, testing::ElementsAre(testing::Pair(4, 1), testing::Pair(4, 2)));
    EXPECT_THAT(other.fired, testing::IsEmpty());
    EXPECT_TRUE(timeline.empty());
}

TEST_F(TimelineWithHistory, PassesNoTimeAtOnce) {
    struct Asker final : Timeline::Handler {
        explicit Asker(Timeline& timeline) : its(timeline) {}
        void fire(std::uint32_t) override { quiet = its.quiet_until(SimTime::us(2)); }
        Timeline& its;
        bool quiet = true;
    } asker(timeline);
    timeline.post(SimTime::us(1), 0, asker, 0);
    timeline.run_until(SimTime::us(9));
    EXPECT_FALSE(asker.quiet);
}

using TimelineHistoryDeathTest = TimelineWithHistory;

TEST_F(TimelineHistoryDeathTest, WithdrawingWhatWasNotPostedIsABrokenContract) {
    timeline.post(SimTime::us(4), 0, seen, 1);
    EXPECT_DEATH(timeline.withdraw(SimTime::us(5), seen), "timeline.withdraw.posted");
}

TEST_F(TimelineHistoryDeathTest, AStepThatIsPastIsABrokenContract) {
    timeline.post(SimTime::us(2), 0, seen, 0);
    timeline.run_until(SimTime::us(3));
    EXPECT_DEATH(timeline.post_as(1, SimTime::us(1), 0, seen, 0), "timeline.post_as.past");
}

}  // namespace
