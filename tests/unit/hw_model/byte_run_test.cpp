// Byte level goes on without events in the middle of a message (src/byte_run.hpp). Nobody may notice. Each case runs random
// traffic twice, with and without an event for each byte. It compares everything that a process or an observer sees, to the
// picosecond. All times are whole cycles and bits, so steps, uses and messages often fall on the same moment.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "hw_bench.hpp"

namespace {

using hw_model::LinkLevel;
using hw_test::LinkNo;
using hw_test::NodeId;
using hw_test::SimTime;
using vocabulary::Cycles;

struct TrafficCase {
    std::uint32_t seed;
    std::size_t nodes;
    bool twin_links;  // two links between each two nodes
    bool disturbed;   // path changes, resets, withdrawals and a crash
    friend void PrintTo(const TrafficCase& c, std::ostream* out) {
        *out << "seed" << c.seed << "_nodes" << c.nodes << (c.twin_links ? "_twin" : "") << (c.disturbed ? "_disturbed" : "");
    }
};

// Uniform, the same with every library.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
    std::uint32_t bytes() { return below(3) == 0 ? 1 + below(12) : below(3) == 0 ? 1 + below(3000) : 20 + below(300); }
    Cycles work() {
        const std::uint32_t size = below(6);
        return Cycles(1 + below(size == 0 ? 20'000 : size < 3 ? 400 : 20));
    }

private:
    std::mt19937 engine_;
};

struct Seen {
    std::uint64_t seen = 14695981039346656037U;  // hash of all that is noted
    std::uint64_t noted = 0, received = 0, preempted = 0, stolen_ps = 0;
    std::uint64_t fired = 0;
};

class Traffic {
public:
    Traffic(const TrafficCase& c, bool byte_by_byte) : case_(c), random_(c.seed) {
        machine_ = std::make_unique<hw_model::Machine>(
            "machine", description(), hw_test::costs(), 1,
            hw_model::MachineOptions{.links = LinkLevel::Byte, .byte_by_byte = byte_by_byte});
        machine_->connect_switches();
        script_ = std::make_unique<hw_test::Script>(machine_->timeline());
        start_processes();
        if (c.disturbed) disturb();
    }

    // In parts of random length; between them an observer looks.
    Seen run() {
        hw_model::Timeline& timeline = machine_->timeline();
        const SimTime end = SimTime::ms(60);
        while (timeline.next_time() <= end) {
            note(timeline.next_time().in_ps());
            const SimTime step = SimTime::ps(1 + random_.below(random_.below(2) == 0 ? 2'000'000 : 400'000'000));
            machine_->run_until(std::min(end, std::max(timeline.next_time(), timeline.now() + step)));
            look();
        }
        outcome_.fired = timeline.fired();
        return outcome_;
    }

private:
    struct Cable {
        std::size_t a, b;
        std::uint8_t a_link, b_link;
    };

    // A chain or a chain of twin links; some cables go through a C004.
    topologies::MachineDescription description() {
        using topologies::NodeLink;
        using topologies::SwitchWay;
        using topologies::WayNo;
        constexpr std::array<std::int64_t, 3> speeds = {5'000'000, 10'000'000, 20'000'000};
        topologies::MachineDescription result = topologies::chain(2);
        result.link_bits_per_second = speeds[random_.below(3)];
        result.nodes.resize(case_.nodes, result.nodes.front());
        result.wires.resize(1);  // the host's
        result.switches.push_back({"x", {}});
        for (std::size_t i = 0; i + 1 < case_.nodes; ++i) {
            cables_.push_back({i, i + 1, 1, 2});
            if (case_.twin_links) cables_.push_back({i, i + 1, 3, static_cast<std::uint8_t>(i == 0 ? 1 : 0)});
        }
        if (case_.twin_links) cables_.resize(2);
        const auto end_of = [](std::size_t node, std::uint8_t link) {
            return NodeLink{NodeId(static_cast<NodeId::value_type>(node)), LinkNo(link)};
        };
        for (const Cable& cable : cables_) {
            const topologies::WireEnd a = end_of(cable.a, cable.a_link), b = end_of(cable.b, cable.b_link);
            if (!case_.disturbed && random_.below(3) != 0) {
                result.wires.push_back({a, b});
                continue;
            }
            const auto way = static_cast<std::uint8_t>(2 * result.switches[0].connections.size());
            const topologies::SwitchId id(0);
            result.switches[0].connections.push_back({WayNo(way), WayNo(static_cast<std::uint8_t>(way + 1))});
            result.wires.push_back({a, SwitchWay{id, WayNo(way)}});
            result.wires.push_back({SwitchWay{id, WayNo(static_cast<std::uint8_t>(way + 1))}, b});
        }
        return result;
    }

    hw_model::Node& node(std::size_t number) { return machine_->node(NodeId(static_cast<NodeId::value_type>(number))); }

    void note(std::int64_t what) {
        outcome_.seen = (outcome_.seen ^ static_cast<std::uint64_t>(what)) * 1099511628211U;
        outcome_.seen ^= outcome_.seen >> 29;
        ++outcome_.noted;
    }

    void note_processor(std::size_t number) {
        const hw_model::ProcessorTotals totals = node(number).processor.totals();
        for (const SimTime time : {totals.high_busy, totals.low_busy, totals.stolen}) note(time.in_ps());
        note(static_cast<std::int64_t>(totals.preemptions * 1000 + totals.dispatches));
    }

    void look() {
        note(machine_->timeline().now().in_ps());
        outcome_.preempted = outcome_.stolen_ps = 0;
        for (std::size_t i = 0; i < case_.nodes; ++i) {
            note_processor(i);
            outcome_.preempted += node(i).processor.totals().preemptions;
            outcome_.stolen_ps += static_cast<std::uint64_t>(node(i).processor.totals().stolen.in_ps());
            note(node(i).processor.use_end().in_ps());
            for (std::uint8_t link = 0; link < 4; ++link) {
                const hw_model::LinkEnd* end = node(i).link(LinkNo(link));
                if (end == nullptr) continue;
                note(end->totals().waiting.in_ps() + end->sending_time().in_ps());
                note(end->moving() * 2 + end->moving_out());
            }
        }
    }

    struct Step {
        std::uint32_t bytes;
        Cycles work;
        bool thinks;
    };
    std::vector<Step> steps(std::size_t count) {
        std::vector<Step> list;
        for (std::size_t i = 0; i < count; ++i) list.push_back({random_.bytes(), random_.work(), random_.below(2) == 0});
        return list;
    }

    void start(std::size_t at, hw_model::Priority priority, std::function<void(hw_model::Fiber&)> code) {
        const std::size_t index = fibers_.size();
        fibers_.push_back(std::make_unique<hw_model::Fiber>(priority, node(at).arena,
                                                            [this, index, code = std::move(code)] { code(*fibers_[index]); }));
        node(at).processor.start(*fibers_.back());
    }

    // It waits for as long without the processor, or works.
    void pass_time(std::size_t at, hw_model::Fiber& me, const Step& step) {
        if (!step.thinks) return me.use(step.work);
        node(at).processor.wake_at(machine_->timeline().now() + SimTime::ns(50) * step.work.count(), me);
        me.wait();
    }

    void send(std::size_t at, std::uint8_t link, hw_model::Fiber& me, const Step& step) {
        std::vector<std::byte> content(step.bytes, static_cast<std::byte>(step.bytes * 7));
        const std::size_t head = std::min<std::size_t>(content.size(), 8);
        hw_model::LinkMessage message;
        message.header = std::span(content).first(head);
        message.body = std::span(content).subspan(head);
        message.wire_bytes = step.bytes + (step.bytes % 3 == 0 ? 5 : 0);
        message.pause = step.bytes % 5 == 0 ? SimTime::us(step.bytes % 2 == 0 ? 3 : 1200) : SimTime();
        message.memory = step.bytes % 2 == 0 ? hw_model::Memory::OnChip : hw_model::Memory::External;
        message.sender = &me;
        node(at).link(LinkNo(link))->send(message);
        while (!message.sent) me.wait();
        note(machine_->timeline().now().in_ps() + message.lost);
        note_processor(at);
    }

    void receive(std::size_t at, std::uint8_t link, hw_model::Fiber& me) {
        std::vector<std::byte> content;
        hw_model::LinkReceive request;
        request.any_body = &content;
        request.receiver = &me;
        node(at).link(LinkNo(link))->receive(request, hw_model::Channel::Datalink);
        while (!request.received) me.wait();
        note(request.arrived.in_ps());
        for (const std::byte byte : content) note(std::to_integer<std::int64_t>(byte));
        note_processor(at);
        ++outcome_.received;
    }

    // On each node one process computes in loops, with rests in which the processor may be idle. At each end of each cable one
    // sends and one receives.
    void start_processes() {
        constexpr std::size_t count = 40;
        for (std::size_t i = 0; i < case_.nodes; ++i) {
            start(i, hw_model::Priority::Low, [this, i, list = steps(400)](hw_model::Fiber& me) {
                for (const Step& step : list) {
                    if (step.bytes % 3 == 0) pass_time(i, me, step);
                    me.use(step.work * 3, step.thinks);
                    note_processor(i);
                }
            });
        }
        for (const Cable& cable : cables_) {
            pair(cable.a, cable.a_link, cable.b, cable.b_link, count);
            pair(cable.b, cable.b_link, cable.a, cable.a_link, random_.below(2) == 0 ? count : 3);
        }
    }

    void pair(std::size_t from, std::uint8_t from_link, std::size_t to, std::uint8_t to_link, std::size_t count) {
        // With a seed that is even, all links do the same, and so at the same moments.
        const std::vector<Step> list = case_.seed % 2 == 0 && !same_.empty() ? same_ : steps(count);
        same_ = list;
        start(from, hw_model::Priority::High, [this, from, from_link, list](hw_model::Fiber& me) {
            for (const Step& step : list) {
                pass_time(from, me, step);
                send(from, from_link, me, step);
            }
        });
        start(to, hw_model::Priority::High, [this, to, to_link, list](hw_model::Fiber& me) {
            while (true) {
                receive(to, to_link, me);
                pass_time(to, me, list[outcome_.received % list.size()]);
            }
        });
    }

    void disturb() {
        hw_model::LinkSwitch& crossbar = machine_->link_switch(topologies::SwitchId(0));
        for (int i = 0; i < 60; ++i) {
            const SimTime when = SimTime::ns(50) * (1 + random_.below(500'000));
            const Cable& cable = cables_[random_.below(static_cast<std::uint32_t>(cables_.size()))];
            const auto way = static_cast<std::uint8_t>(2 * (&cable - cables_.data()));
            const std::uint32_t what = random_.below(5);
            if (what == 0) {
                script_->at(when, [&crossbar, way] { crossbar.disconnect(topologies::WayNo(way)); });
                script_->at(when + SimTime::ns(50) * random_.below(4000), [&crossbar, way] {
                    crossbar.connect(topologies::WayNo(way), topologies::WayNo(static_cast<std::uint8_t>(way + 1)));
                });
            } else if (what == 1) {
                script_->at(when, [this, &cable] { node(cable.a).link(LinkNo(cable.a_link))->reset(); });
            } else if (what == 2) {
                script_->at(when, [this, &cable] { node(cable.b).processor.set_slowness(1.5); });
            } else {
                script_->at(when, [this, &cable] { note_processor(cable.a), note_processor(cable.b); });
            }
        }
        const std::size_t victim = random_.below(static_cast<std::uint32_t>(case_.nodes));
        script_->at(SimTime::ms(22) + SimTime::ns(50) * random_.below(20'000), [this, victim] { node(victim).crash(); });
    }

    const TrafficCase case_;
    Dice random_;
    Seen outcome_;
    std::vector<Cable> cables_;
    std::vector<Step> same_;
    std::unique_ptr<hw_model::Machine> machine_;
    std::unique_ptr<hw_test::Script> script_;
    std::vector<std::unique_ptr<hw_model::Fiber>> fibers_;
};

class ByteRuns : public testing::TestWithParam<TrafficCase> {};

TEST_P(ByteRuns, CannotBeToldFromEventsForEachByte) {
    const auto run = [](bool byte_by_byte) {
        return test_support::in_child([byte_by_byte] { return Traffic(GetParam(), byte_by_byte).run(); });
    };
    const auto slow = run(true), fast = run(false);
    ASSERT_TRUE(slow && fast);
    EXPECT_EQ(slow->received, fast->received);
    EXPECT_EQ(slow->preempted, fast->preempted);
    EXPECT_EQ(slow->stolen_ps, fast->stolen_ps);
    EXPECT_EQ(slow->noted, fast->noted);
    EXPECT_EQ(slow->seen, fast->seen);
    EXPECT_GT(slow->received, 10U);
    EXPECT_GT(slow->stolen_ps, 0U);
}

std::vector<TrafficCase> cases() {
    std::vector<TrafficCase> all;
    for (std::uint32_t seed = 1; seed <= 48; ++seed) {
        all.push_back({seed, 2 + seed % 3, false, false});
        all.push_back({seed, 2 + seed % 4, false, true});
        if (seed % 2 == 0) all.push_back({seed, 2, true, seed % 4 == 0});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(RandomTraffic, ByteRuns, testing::ValuesIn(cases()), testing::PrintToStringParamName());

}  // namespace
