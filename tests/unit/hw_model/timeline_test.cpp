#include <gmock/gmock.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <hw_model/timeline.hpp>

using hw_model::SimTime;
using hw_model::Timeline;

namespace {

struct Recorder final : Timeline::Handler {
    explicit Recorder(Timeline& t) : timeline(t) {}
    void fire(std::uint32_t what) override { fired.emplace_back(timeline.now().in_ps(), what); }
    Timeline& timeline;
    std::vector<std::pair<std::int64_t, std::uint32_t>> fired;
};

void run(Timeline& timeline) {
    while (timeline.run_next_instant()) {
    }
}

// Posts at random from its own handler too, and compares every firing with the next entry of an ordered set.
class RandomTraffic final : public Timeline::Handler {
public:
    RandomTraffic(Timeline& timeline, std::uint64_t seed, std::size_t posts)
        : timeline_(timeline), random_(seed), left_(posts) {}

    void post() {
        if (left_ == 0) return;
        --left_;
        const SimTime when = timeline_.now() + distance();
        const auto node = static_cast<std::uint32_t>(random_() % 5);
        expected_.emplace(when, node, next_);
        timeline_.post(when, node, *this, next_++);
    }
    void fire(std::uint32_t what) override {
        ++fired_;
        const auto [when, node, sequence] = *expected_.begin();
        wrong_ += when != timeline_.now() || sequence != what ? 1U : 0U;
        expected_.erase(expected_.begin());
        for (auto more = random_() % 3; more > 0; --more) post();
    }
    bool all_posted() const { return left_ == 0; }
    std::size_t fired() const { return fired_; }
    std::size_t wrong() const { return wrong_; }
    SimTime next() const { return expected_.empty() ? SimTime::never() : std::get<0>(*expected_.begin()); }

private:
    // Within a slot, within the wheel, about the end of the wheel (2^30 ps), and far beyond.
    SimTime distance() {
        static constexpr std::int64_t reach[] = {
            1, 3, 65'536, 200'000, 1'000'000'000, (std::int64_t{1} << 30) + 200'000, 5'000'000'000'000};
        return SimTime::ps(
            static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(reach[random_() % std::size(reach)])));
    }
    Timeline& timeline_;
    std::mt19937_64 random_;
    std::size_t left_, fired_ = 0, wrong_ = 0;
    std::uint32_t next_ = 0;
    std::set<std::tuple<SimTime, std::uint32_t, std::uint32_t>> expected_;
};

}  // namespace

TEST(Timeline, FiresInOrderOfTime) {
    Timeline timeline;
    Recorder seen(timeline);
    for (const std::int64_t ps : std::initializer_list<std::int64_t>{70'000, 5, 3'000'000'000, 69'999, 1'073'741'824})
        timeline.post(SimTime::ps(ps), 0, seen, static_cast<std::uint32_t>(ps % 1000));
    run(timeline);
    EXPECT_THAT(seen.fired, testing::ElementsAre(std::pair(5, 5), std::pair(69'999, 999), std::pair(70'000, 0),
                                                 std::pair(1'073'741'824, 824), std::pair(3'000'000'000, 0)));
}

TEST(Timeline, BreaksTiesByNodeThenByPosting) {
    Timeline timeline;
    Recorder seen(timeline);
    for (const auto& [node, what] : {std::pair(2U, 20U), {0U, 1U}, {2U, 21U}, {1U, 10U}, {0U, 2U}})
        timeline.post(SimTime::us(1), node, seen, what);
    run(timeline);
    std::vector<std::uint32_t> order;
    for (const auto& [when, what] : seen.fired) order.push_back(what);
    EXPECT_THAT(order, testing::ElementsAre(1, 2, 10, 20, 21));
}

TEST(Timeline, BreaksTiesTheSameWayBetweenTheWheelAndWhatLiesFurther) {
    Timeline timeline;
    Recorder seen(timeline);
    timeline.post(SimTime::ms(2), 1, seen, 1);  // beyond the wheel when it is posted
    timeline.post(SimTime::ms(1), 0, seen, 0);
    timeline.run_next_instant();
    timeline.post(SimTime::ms(2), 1, seen, 2);  // in the wheel now
    timeline.post(SimTime::ms(2), 0, seen, 3);
    run(timeline);
    std::vector<std::uint32_t> order;
    for (const auto& [when, what] : seen.fired) order.push_back(what);
    EXPECT_THAT(order, testing::ElementsAre(0, 3, 1, 2));
}

TEST(Timeline, ItsWitnessSeesEachEventBeforeItFiresAndWhatWasPostedByThen) {
    struct Seen final : Timeline::Witness {
        void fires(SimTime when, std::uint64_t order, std::uint64_t posted) override {
            all.emplace_back(when.in_ps(), hw_model::TimelineHistory::node_of(order), posted / 2);
        }
        std::vector<std::tuple<std::int64_t, std::uint32_t, std::uint64_t>> all;
    } seen;
    struct Again final : Timeline::Handler {
        explicit Again(Timeline& t) : timeline(t) {}
        void fire(std::uint32_t what) override {
            if (what != 0) timeline.post(timeline.now() + SimTime::ps(5), 7, *this, what - 1);
        }
        Timeline& timeline;
    };
    Timeline timeline;
    Again handler(timeline);
    timeline.set_witness(&seen);
    timeline.post(SimTime::ps(10), 1, handler, 1);
    timeline.post(SimTime::ms(2), 2, handler, 0);
    run(timeline);
    timeline.set_witness(nullptr);
    timeline.post(SimTime::ms(3), 1, handler, 0);
    run(timeline);
    EXPECT_THAT(seen.all, testing::ElementsAre(std::tuple(10, 1, 2), std::tuple(15, 7, 3), std::tuple(2'000'000'000, 2, 3)));
}

TEST(Timeline, FiresInOrderAmongEventsThatLieFar) {
    Timeline timeline;
    Recorder seen(timeline);
    timeline.post(SimTime::never(), 0, seen, 4);
    for (const std::uint32_t second : {2U, 1U, 3U}) timeline.post(SimTime::s(second), 0, seen, second);
    EXPECT_EQ(timeline.next_time(), SimTime::s(1));
    timeline.run_until(SimTime::s(1));
    timeline.post(SimTime::s(1) + SimTime::ps(1), 0, seen, 0);  // in the wheel
    timeline.run_until(SimTime::never());
    std::vector<std::uint32_t> order;
    for (const auto& [when, what] : seen.fired) order.push_back(what);
    EXPECT_THAT(order, testing::ElementsAre(1, 0, 2, 3, 4));
    EXPECT_TRUE(timeline.empty());
}

// Ends the run at its first event.
struct Ender final : Timeline::Handler {
    explicit Ender(Timeline& t) : timeline(t) {}
    void fire(std::uint32_t what) override {
        fired.emplace_back(timeline.now().in_ps(), what);
        if (what == 0) timeline.end_soon();
    }
    Timeline& timeline;
    std::vector<std::pair<std::int64_t, std::uint32_t>> fired;
};

TEST(Timeline, EndsSoonBehindEverythingDueNow) {
    for (const bool with_history : {false, true}) {
        Timeline timeline;
        timeline.keep_history(with_history);
        Ender seen(timeline);
        for (const std::uint32_t what : {0U, 1U}) timeline.post(SimTime::ps(10), 1, seen, what);
        timeline.post(SimTime::ps(11), 1, seen, 2);
        timeline.run_until(SimTime::s(1));
        EXPECT_THAT(seen.fired, testing::ElementsAre(std::pair(10, 0U), std::pair(10, 1U)));
        EXPECT_EQ(timeline.now(), SimTime::ps(10));
        timeline.run_until(SimTime::s(1));
        EXPECT_THAT(seen.fired, testing::SizeIs(3));
        timeline.keep_history(false);
    }
}

class TimelineSeed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(TimelineSeed, AgreesWithAnOrderedSetOverTwoHundredThousandRandomPosts) {
    Timeline timeline;
    RandomTraffic traffic(timeline, GetParam(), 200'000);
    while (!traffic.all_posted() || !timeline.empty()) {
        traffic.post();
        ASSERT_EQ(timeline.next_time(), traffic.next());
        timeline.run_next_instant();
    }
    EXPECT_EQ(traffic.fired(), 200'000u);
    EXPECT_EQ(traffic.wrong(), 0u);
    EXPECT_EQ(timeline.fired(), 200'000u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, TimelineSeed, testing::Values(1, 2, 3));

TEST(Timeline, FiresWhatIsPostedForTheSameTimeInTheSameInstant) {
    struct Once final : Timeline::Handler {
        Timeline* timeline = nullptr;
        Timeline::Handler* next = nullptr;
        void fire(std::uint32_t) override { timeline->post(timeline->now(), 0, *next, 7); }
    } first;
    Timeline timeline;
    Recorder seen(timeline);
    first.timeline = &timeline;
    first.next = &seen;
    timeline.post(SimTime::us(3), 9, first, 0);
    EXPECT_TRUE(timeline.run_next_instant());
    EXPECT_THAT(seen.fired, testing::ElementsAre(std::pair(3'000'000, 7)));
    EXPECT_FALSE(timeline.run_next_instant());
}

TEST(Timeline, HasNoNextTimeWhenItIsEmpty) {
    Timeline timeline;
    EXPECT_TRUE(timeline.empty());
    EXPECT_EQ(timeline.next_time(), SimTime::never());
    EXPECT_FALSE(timeline.run_next_instant());
}

TEST(Timeline, TellsItsListenerOfEarlierEventsOnly) {
    struct Earlier final : Timeline::Listener {
        void earlier_event(SimTime when) override { told.push_back(when.in_us()); }
        std::vector<std::int64_t> told;
    } listener;
    Timeline timeline;
    Recorder seen(timeline);
    timeline.set_listener(&listener);
    for (const int us : {9, 12, 9, 5, 7}) timeline.post(SimTime::us(us), 0, seen, 0);
    EXPECT_THAT(listener.told, testing::ElementsAre(9, 5));
}

TEST(TimelineDeathTest, PostingInThePastIsABrokenContract) {
    Timeline timeline;
    Recorder seen(timeline);
    timeline.post(SimTime::us(2), 0, seen, 0);
    run(timeline);
    EXPECT_DEATH(timeline.post(SimTime::us(1), 0, seen, 0), "timeline.post.past");
}

TEST(UsedSlots, AreFoundInTheOrderOfTheWheelFromAnySlotOn) {
    hw_model::UsedSlots used;
    for (const std::size_t slot : {5U, 70U, 4095U}) used.add(slot);
    EXPECT_EQ(used.first_from(5), 5U);
    EXPECT_EQ(used.first_from(6), 70U);
    EXPECT_EQ(used.first_from(71), 4095U);
    used.remove(4095);
    EXPECT_EQ(used.first_from(71), 5U) << "around the end";
    used.remove(5);
    EXPECT_EQ(used.first_from(71), 70U) << "in the word of the start, before it";
}

TEST(UsedSlotsDeathTest, AskingForTheFirstOfNoneIsABrokenContract) {
    hw_model::UsedSlots used;
    EXPECT_DEATH(used.first_from(0), "used_slots.first_from.none");
    used.add(100);
    used.remove(100);
    EXPECT_DEATH(used.first_from(100), "used_slots.first_from.none");
}
