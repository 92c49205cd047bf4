// A use that is over at once is the same as one that goes through the queue, for whatever comes from outside meanwhile.
#include <gmock/gmock.h>

#include <random>

#include "hw_bench.hpp"

using hw_test::Cycles;
using hw_test::LoneProcessor;
using hw_test::Priority;
using hw_test::SimTime;

namespace {

struct Course {
    std::vector<std::pair<std::string, SimTime>> log;
    SimTime high, low, stolen;
    std::uint64_t dispatches = 0, preemptions = 0, timeslices = 0, fired = 0, at_once = 0;
};

// Processes of both priorities that use, wait and yield at random; wakes, stolen cycles and a slowed clock from outside.
class RandomCourse {
public:
    RandomCourse(std::uint64_t seed, bool at_once) : random_(seed), at_once_(at_once) {}

    Course run() {
        for (int i = 0; i < 6; ++i) {
            const auto own = random_();
            processes_.push_back(&bench_.start(i < 4 ? Priority::High : Priority::Low, [this, i, own] { process(i, own); }));
        }
        for (hw_model::Fiber* process : processes_) bench_.processor.make_ready(*process);
        for (int i = 0; i < 300; ++i) disturb_at(SimTime::ps(static_cast<std::int64_t>(below(4'000'000'000))));
        bench_.timeline.run_until(SimTime::ms(10));
        const hw_model::ProcessorTotals totals = bench_.processor.totals();
        return {bench_.log,         totals.high_busy,  totals.low_busy,         totals.stolen, totals.dispatches,
                totals.preemptions, totals.timeslices, bench_.timeline.fired(), passed_};
    }

private:
    std::uint64_t below(std::uint64_t end) { return random_() % end; }

    void process(int number, std::uint64_t seed) {
        std::mt19937_64 own(seed);
        bench_.wait();  // until all are there
        while (true) {
            switch (own() % 12) {
                case 0:
                    bench_.wait();
                    break;
                case 1:
                    bench_.yield();
                    break;
                case 2:
                    bench_.processor.make_ready(*processes_[own() % processes_.size()]);
                    break;
                default:
                    use(static_cast<std::int64_t>(own() % 8 == 0 ? own() % 20'000 : own() % 200) + 1);
            }
            bench_.note(std::to_string(number));
        }
    }
    void use(std::int64_t cycles) {
        if (at_once_ && bench_.processor.use_at_once(bench_.self(), Cycles(cycles))) {
            ++passed_;
        } else {
            bench_.use(cycles);
        }
    }
    void disturb_at(SimTime when) {
        const std::uint64_t kind = below(8), process = below(6), cycles = below(150);
        bench_.script.at(when, [this, kind, process, cycles] {
            if (kind < 5) return bench_.processor.make_ready(*processes_[process]);
            if (kind == 5) return bench_.processor.steal(Cycles(static_cast<std::int64_t>(cycles)));
            if (kind == 6) return bench_.processor.set_slowness(1 + static_cast<double>(cycles) / 100);
            rate_ = rate_ == 0 ? static_cast<std::int64_t>(cycles) * 2000 : -rate_;
            bench_.processor.steal_at_rate(rate_);
            if (rate_ < 0) rate_ = 0;
        });
    }

    LoneProcessor bench_;
    std::mt19937_64 random_;
    bool at_once_;
    std::vector<hw_model::Fiber*> processes_;
    std::int64_t rate_ = 0;
    std::uint64_t passed_ = 0;
};

class UseAtOnceSeed : public testing::TestWithParam<std::uint64_t> {};

}  // namespace

TEST_P(UseAtOnceSeed, EndsAtTheTimeOfAUseThroughTheQueue) {
    const Course queued = RandomCourse(GetParam(), false).run(), passed = RandomCourse(GetParam(), true).run();
    EXPECT_GT(passed.at_once, 20u);
    EXPECT_EQ(passed.log, queued.log);
    EXPECT_EQ(passed.high, queued.high);
    EXPECT_EQ(passed.low, queued.low);
    EXPECT_EQ(passed.stolen, queued.stolen);
    EXPECT_EQ(passed.dispatches, queued.dispatches);
    EXPECT_EQ(passed.preemptions, queued.preemptions);
    EXPECT_EQ(passed.timeslices, queued.timeslices);
    EXPECT_EQ(passed.fired, queued.fired);
}
INSTANTIATE_TEST_SUITE_P(Seeds, UseAtOnceSeed, testing::Range<std::uint64_t>(1, 21));

TEST(UseAtOnce, IsRefusedToAProcessThatAnotherHandlerWoke) {
    LoneProcessor bench;
    bool at_once = true;
    auto& process = bench.start(Priority::High, [&] {
        bench.wait();
        at_once = bench.processor.use_at_once(bench.self(), Cycles(10));
    });
    bench.script.at(SimTime::us(10), [&] {
        bench.processor.make_ready(process);
        EXPECT_EQ(bench.timeline.now(), SimTime::us(10));  // the handler goes on at its own time
    });
    bench.timeline.run_until(SimTime::us(20));
    EXPECT_FALSE(at_once);
}

TEST(UseAtOnce, IsRefusedWhereAnotherEventIsDueAtItsEndOrBefore) {
    LoneProcessor bench;
    bench.script.at(SimTime::us(20), [] {});
    std::vector<bool> answers;
    bench.start(Priority::High, [&] {
        bench.use(84);  // ends at 5 us, with 16 cycles for the start
        answers.push_back(bench.processor.use_at_once(bench.self(), Cycles(301)));
        answers.push_back(bench.processor.use_at_once(bench.self(), Cycles(300)));
        answers.push_back(bench.processor.use_at_once(bench.self(), Cycles(299)));
        bench.note("end");
    });
    bench.timeline.run_until(SimTime::us(50));
    EXPECT_THAT(answers, testing::ElementsAre(false, false, true));
    EXPECT_THAT(bench.log, testing::ElementsAre(testing::Pair("end", bench.cycles(399))));
}

TEST(UseAtOnce, IsRefusedBeyondTheEndOfTheRun) {
    LoneProcessor bench;
    std::vector<bool> answers;
    bench.start(Priority::High, [&] {
        bench.use(84);
        answers.push_back(bench.processor.use_at_once(bench.self(), Cycles(101)));
        answers.push_back(bench.processor.use_at_once(bench.self(), Cycles(100)));
    });
    bench.timeline.run_until(SimTime::us(10));
    EXPECT_THAT(answers, testing::ElementsAre(false, true));
    EXPECT_EQ(bench.timeline.now(), SimTime::us(10));
}
