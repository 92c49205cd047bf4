// Nodes as their pins show them, foreign SystemC models that drive the pins, and the interrupt line.
#include <gmock/gmock.h>

#include <ostream>

#include "hw_bench.hpp"
#include "link_pair.hpp"

using hw_model::Machine;
using hw_test::LinkPair;
using hw_test::NodeId;
using hw_test::Priority;
using hw_test::SimTime;
using testing::ElementsAre;

namespace {

sc_core::sc_time sc(SimTime time) {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.in_ps()));
}

// A peripheral: raises EventReq at given times, waits for EventAck, and takes the request back 100 ns later.
class Peripheral : public sc_core::sc_module {
public:
    sc_core::sc_out<bool> event_req{"event_req"};
    sc_core::sc_in<bool> event_ack{"event_ack"};
    std::vector<SimTime> rises, acknowledged;

    explicit Peripheral(sc_core::sc_module_name name) : sc_module(name) {
        SC_HAS_PROCESS(Peripheral);
        SC_THREAD(run);
    }

private:
    void run() {
        for (const SimTime rise : rises) {
            wait(sc(rise) - sc_core::sc_time_stamp());
            event_req.write(true);
            wait(event_ack.posedge_event());
            acknowledged.push_back(Machine::systemc_time());
            wait(100, sc_core::SC_NS);
            event_req.write(false);
            wait(event_ack.negedge_event());
            acknowledged.push_back(Machine::systemc_time());
        }
    }
};

// A process of high priority that counts events, over a loop of low priority.
struct EventCounter {
    EventCounter(Machine& machine, hw_model::Node& node)
        : code(Priority::High, node.arena,
               [this, &machine, &node] {
                   while (true) {
                       node.event.receive(code);
                       code.wait();
                       code.use(vocabulary::Cycles(1));
                       woken.push_back(machine.timeline().now());
                       clock.push_back(node.processor.clock_us(Priority::High));
                   }
               }),
          loop(Priority::Low, node.arena, [this] { loop.use(vocabulary::Cycles(100'000'000), true); }) {
        node.processor.start(code);
        node.processor.start(loop);
    }
    hw_model::Fiber code, loop;
    std::vector<SimTime> woken;
    std::vector<std::uint64_t> clock;
};

struct Mode {
    bool lockstep;
    friend void PrintTo(const Mode& mode, std::ostream* out) { *out << (mode.lockstep ? "lockstep" : "decoupled"); }
};
class ForeignModel : public testing::TestWithParam<Mode> {};

}  // namespace

TEST_P(ForeignModel, HandshakesWithTheEventPinAtExactTimes) {
    hw_model::MachineOptions options;
    options.lockstep = GetParam().lockstep;
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1, options);
    Peripheral peripheral("peripheral");
    peripheral.event_req(machine.pins(NodeId(1)).event_req);
    peripheral.event_ack(machine.pins(NodeId(1)).event_ack);
    peripheral.rises = {SimTime::ns(50'003), SimTime::us(80)};
    EventCounter counter(machine, machine.node(NodeId(1)));
    machine.run_until(SimTime::us(200));
    // The process waits at once, so the acknowledge comes with the request.
    EXPECT_THAT(peripheral.acknowledged,
                ElementsAre(SimTime::ns(50'003), SimTime::ns(50'103), SimTime::us(80), SimTime::ns(80'100)));
    EXPECT_THAT(counter.woken, ElementsAre(SimTime::ns(50'003) + SimTime::ns(50 * (16 + 19 + 1)),
                                           SimTime::us(80) + SimTime::ns(50 * (19 + 1))));
}
INSTANTIATE_TEST_SUITE_P(Modes, ForeignModel, testing::Values(Mode{false}, Mode{true}));

TEST(NodePins, HoldANodeInResetUntilThePinFalls) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    auto& node = machine.node(NodeId(0));
    auto& pins = machine.pins(NodeId(0));
    EventCounter counter(machine, node);
    machine.run_until(SimTime::us(10));
    pins.reset.write(true);
    machine.run_until(SimTime::us(20));
    EXPECT_TRUE(node.processor.halted());
    EXPECT_TRUE(counter.loop.ended());
    pins.reset.write(false);
    machine.run_until(SimTime::us(30));
    EXPECT_FALSE(node.processor.halted());
}

TEST(NodePins, HaltANodeForAnalysis) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    auto& node = machine.node(NodeId(0));
    auto& pins = machine.pins(NodeId(0));
    EventCounter counter(machine, node);
    pins.analyse.write(true);
    machine.run_until(SimTime::us(3 * 1024));
    EXPECT_TRUE(node.processor.halted());
    EXPECT_LT(node.processor.busy_so_far(), SimTime::us(3 * 1024));
}

TEST(NodePins, ShowTheErrorFlag) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    auto& pins = machine.pins(NodeId(1));
    hw_test::Script script(machine.timeline());
    script.at(SimTime::us(10), [&] { machine.node(NodeId(1)).set_error(); });
    machine.run_until(SimTime::us(9));
    EXPECT_FALSE(pins.error.read());
    machine.run_until(SimTime::us(11));
    EXPECT_TRUE(pins.error.read());
    EXPECT_FALSE(machine.node(NodeId(1)).processor.halted());  // HaltOnError is off after power-up
}

TEST(NodePinsDeathTest, AskingForThemDuringASimulationIsABrokenContract) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    machine.run_until(SimTime::us(1));
    EXPECT_DEATH(machine.pins(NodeId(0)), "machine.pins.late");
}

TEST(NodeError, HaltsTheProcessorWithHaltOnErrorWhileTheLinksFinish) {
    LinkPair pair(20'000'000, 0);
    auto& from_halted = pair.send_at(SimTime::us(10), 1, 1000);
    auto& to_halted = pair.send_at(SimTime::us(10), 0, 1000);
    pair.end(1).set_halt_on_error(true);
    pair.script.at(SimTime::us(100), [&] { pair.end(1).set_error(); });
    pair.machine.run_until(SimTime::ms(5));
    EXPECT_TRUE(pair.end(1).processor.halted());
    EXPECT_TRUE(from_halted.sent());
    EXPECT_TRUE(to_halted.sent());
    EXPECT_TRUE(to_halted.content_arrived());
    EXPECT_EQ(to_halted.arrived(), SimTime());  // in memory, but its process was not woken
}

TEST(NodeError, SurvivesAResetWhichClearsHaltOnError) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    auto& node = machine.node(NodeId(0));
    node.set_halt_on_error(true);
    node.set_error();
    machine.run_until(SimTime::us(1));
    EXPECT_TRUE(node.processor.halted());
    node.reset();
    EXPECT_TRUE(node.error());
    EXPECT_FALSE(node.processor.halted());
    node.set_error();
    EXPECT_FALSE(node.processor.halted());
    node.clear_error();
    EXPECT_FALSE(node.error());
}

namespace {
class NodeReset : public testing::TestWithParam<hw_model::LinkLevel> {};
}  // namespace

TEST_P(NodeReset, LosesWhatIsOnItsLinksAndLetsThemCarryNewMessages) {
    LinkPair pair(20'000'000, 0, GetParam());
    auto& from_reset = pair.send_at(SimTime::us(10), 1, 1000);
    auto& behind_it = pair.send_at(SimTime::us(10), 1, 100, hw_model::Channel::Circuit);
    auto& to_reset = pair.send_at(SimTime::us(10), 0, 1000);
    pair.script.at(SimTime::us(100), [&] { pair.end(1).reset(); });
    auto& later = pair.prepare(0, 200, hw_model::Channel::Circuit);
    pair.script.at(SimTime::us(200), [&] {
        later.receive();
        later.send();
    });
    pair.machine.run_until(SimTime::ms(5));
    EXPECT_FALSE(from_reset.received());
    EXPECT_FALSE(behind_it.received());
    EXPECT_FALSE(to_reset.received());
    EXPECT_TRUE(to_reset.sent());
    EXPECT_TRUE(later.received());
    EXPECT_TRUE(later.content_arrived());
}

TEST_P(NodeReset, KeepsTheMemory) {
    LinkPair pair(20'000'000, 0, GetParam());
    auto& node = pair.end(1);
    ASSERT_TRUE(node.arena.take(1000));
    auto* word = static_cast<std::uint32_t*>(node.arena.allocate(4));
    *word = 0x1234abcd;
    node.reset();
    EXPECT_EQ(*word, 0x1234abcdU);
    EXPECT_GE(node.arena.used_bytes(), 1000u);
}
INSTANTIATE_TEST_SUITE_P(Levels, NodeReset, testing::Values(hw_model::LinkLevel::Message, hw_model::LinkLevel::Byte));

namespace {

struct Interrupted {
    explicit Interrupted(std::size_t nodes) : machine("machine", description(nodes), hw_test::costs(), 7) {
        for (std::size_t i = 0; i < nodes; ++i)
            counters.push_back(
                std::make_unique<EventCounter>(machine, machine.node(NodeId(static_cast<NodeId::value_type>(i)))));
    }
    static topologies::MachineDescription description(std::size_t nodes) {
        auto result = topologies::chain(nodes);
        result.interrupt_master = NodeId(0);
        return result;
    }
    Machine machine;
    std::vector<std::unique_ptr<EventCounter>> counters;
};

}  // namespace

TEST(InterruptLine, WakesAHighPriorityProcessOnEveryOtherNodeAtTheSameTime) {
    Interrupted all(6);
    hw_test::Script script(all.machine.timeline());
    script.at(SimTime::us(100), [&] { all.machine.raise_interrupt(); });
    script.at(SimTime::us(200), [&] { all.machine.lower_interrupt(); });
    script.at(SimTime::us(300), [&] { all.machine.raise_interrupt(); });
    all.machine.run_until(SimTime::ms(1));
    EXPECT_TRUE(all.counters[0]->woken.empty());
    for (std::size_t i = 1; i < 6; ++i) {
        EXPECT_THAT(all.counters[i]->woken, ElementsAre(SimTime::us(100) + SimTime::ns(50 * (16 + 19 + 1)),
                                                        SimTime::us(300) + SimTime::ns(50 * (19 + 1))));
    }
}

TEST(InterruptLine, ShowsClocksThatDifferByOffsetAndDriftOnly) {
    Interrupted all(6);
    hw_test::Script script(all.machine.timeline());
    for (int i = 0; i < 2; ++i) {
        script.at(SimTime::ms(10 + 1000 * i), [&] { all.machine.raise_interrupt(); });
        script.at(SimTime::ms(11 + 1000 * i), [&] { all.machine.lower_interrupt(); });
    }
    all.machine.run_until(SimTime::ms(1100));
    std::int64_t least = 1'000'000, most = 0;
    for (std::size_t i = 1; i < 6; ++i) {
        const auto& clock = all.counters[i]->clock;
        ASSERT_EQ(clock.size(), 2u);
        const auto offset = static_cast<std::int64_t>(clock[0]) - 10'000;
        EXPECT_GE(offset, 0);
        EXPECT_LE(offset, 2000 + 3);  // clock.offset_most, and the latency
        const auto drift = static_cast<std::int64_t>(clock[1] - clock[0]) - 1'000'000;
        EXPECT_LE(std::abs(drift), 30 + 2);  // ppm of a second: clock.drift_most, and the ticks
        least = std::min(least, offset);
        most = std::max(most, offset);
    }
    EXPECT_GT(most - least, 100);
}

TEST(InterruptLine, MayBeRaisedByAProcessOfTheMaster) {
    Interrupted all(3);
    auto& master = all.machine.node(NodeId(0));
    hw_model::Fiber* self = nullptr;
    hw_model::Fiber controller(Priority::High, master.arena, [&] {
        self->use(vocabulary::Cycles(1000));
        all.machine.raise_interrupt();
        self->use(vocabulary::Cycles(1000));
    });
    self = &controller;
    master.processor.start(controller);
    all.machine.run_until(SimTime::ms(1));
    EXPECT_EQ(all.counters[1]->woken.size(), 1u);
    EXPECT_EQ(all.counters[1]->woken, all.counters[2]->woken);
}

TEST(InterruptLineDeathTest, WithoutAMasterItIsABrokenContract) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    EXPECT_DEATH(machine.raise_interrupt(), "machine.interrupt.no_master");
}
