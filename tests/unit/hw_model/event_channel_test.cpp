#include <gmock/gmock.h>

#include <hw_model/event_channel.hpp>

#include "hw_bench.hpp"

using hw_model::EventChannel;
using hw_test::LoneProcessor;
using hw_test::Priority;
using hw_test::SimTime;
using testing::ElementsAre;
using testing::Pair;

namespace {

class EventBench : public LoneProcessor {
public:
    EventChannel event{processor};
    void level_at(SimTime when, bool level) {
        script.at(when, [this, level] { event.drive(EventChannel::Source::Pin, level); });
    }
    hw_model::Fiber& start_receiver(const char* name, Priority priority = Priority::High) {
        return start(priority, [this, name] {
            use(84);
            event.receive(self());
            wait();
            use(10);
            note(name);
        });
    }
};

}  // namespace

TEST(EventChannel, WakesTheProcessThatInputsWithTheLatencyOfItsPriority) {
    EventBench bench;
    bench.start_receiver("event");
    bench.start(Priority::Low, [&] { bench.use(10'000); });
    bench.level_at(SimTime::us(50), true);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("event", SimTime::us(50) + bench.cycles(19 + 10))));
}

TEST(EventChannel, AcknowledgesWhenAProcessInputsAndFallsAfterTheRequest) {
    EventBench bench;
    bench.start_receiver("event");
    bench.level_at(SimTime::us(50), true);
    bench.script.at(SimTime::us(49), [&] { EXPECT_FALSE(bench.event.acknowledge()); });
    bench.script.at(SimTime::us(51), [&] { EXPECT_TRUE(bench.event.acknowledge()); });
    bench.level_at(SimTime::us(60), false);
    bench.script.at(SimTime::us(61), [&] { EXPECT_FALSE(bench.event.acknowledge()); });
    bench.run();
}

TEST(EventChannel, KeepsARequestUntilAProcessInputsAndAcknowledgesThen) {
    EventBench bench;
    bench.level_at(SimTime::us(1), true);
    bench.script.at(SimTime::us(3), [&] {
        EXPECT_TRUE(bench.event.ready());
        EXPECT_FALSE(bench.event.acknowledge());
    });
    bench.start_receiver("event");  // inputs at 5 us
    bench.script.at(SimTime::us(6), [&] {
        EXPECT_FALSE(bench.event.ready());
        EXPECT_TRUE(bench.event.acknowledge());
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("event", bench.cycles(100 + 10))));
}

TEST(EventChannel, TakesOneEdgeForOneInput) {
    EventBench bench;
    bench.start(Priority::High, [&] {
        for (int i = 0; i < 2; ++i) {
            bench.event.receive(bench.self());
            bench.wait();
            bench.note("event");
        }
    });
    bench.level_at(SimTime::us(50), true);
    bench.level_at(SimTime::us(55), true);  // no edge
    bench.level_at(SimTime::us(60), false);
    bench.level_at(SimTime::us(70), true);
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("event", SimTime::us(50)), Pair("event", SimTime::us(70))));
}

TEST(EventChannel, SeesOneEdgeWhenTwoSourcesOverlap) {
    EventBench bench;
    bench.level_at(SimTime::us(10), true);
    bench.script.at(SimTime::us(11), [&] { bench.event.drive(EventChannel::Source::Line, true); });
    bench.level_at(SimTime::us(12), false);
    bench.script.at(SimTime::us(13), [&] { EXPECT_TRUE(bench.event.request()); });
    bench.start(Priority::High, [&] {
        bench.use(1000);
        bench.event.receive(bench.self());
        bench.wait();
        bench.note("first");
        bench.event.receive(bench.self());
        bench.wait();
        bench.note("second");
    });
    bench.run();
    ASSERT_EQ(bench.log.size(), 1u);
}

TEST(EventChannel, ForgetsAProcessThatWithdraws) {
    EventBench bench;
    auto& receiver = bench.start_receiver("event");
    bench.script.at(SimTime::us(10), [&] {
        EXPECT_TRUE(bench.event.waiting(receiver));
        bench.event.withdraw(receiver);
    });
    bench.level_at(SimTime::us(50), true);
    bench.run();
    EXPECT_TRUE(bench.log.empty());
    EXPECT_TRUE(bench.event.ready());
}

TEST(EventChannel, OfADeadNodeAcknowledgesNothing) {
    EventBench bench;
    bench.start_receiver("event");
    bench.script.at(SimTime::us(20), [&] { bench.processor.crash(); });
    bench.level_at(SimTime::us(50), true);
    bench.run();
    EXPECT_TRUE(bench.log.empty());
    EXPECT_FALSE(bench.event.acknowledge());
}

TEST(EventChannelDeathTest, TwoProcessesThatInputAreABrokenContract) {
    EventBench bench;
    auto& a = bench.start_receiver("a");
    bench.run();
    EXPECT_DEATH(bench.event.receive(a), "event_channel.receive.twice");
}
