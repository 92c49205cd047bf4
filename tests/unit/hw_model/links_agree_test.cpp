// Message level is derived from byte level; this test holds the two together. Processes exchange messages of mixed sizes with
// random computing in between. They run on rings, trees, meshes and chains, with and without crossbars on the wires, at three
// speeds. Each process ends at the same time within 1 % at both levels.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
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

enum class Shape { Ring, Tree, Mesh, Chain };
constexpr std::array<const char*, 4> shape_names = {"ring", "tree", "mesh", "chain"};

struct Case {
    Shape shape;
    std::int64_t bits_per_second;
    int most_passes;  // C004 on a wire: 0 to so many
    std::uint32_t seed;
    friend void PrintTo(const Case& c, std::ostream* out) {
        *out << shape_names[static_cast<std::size_t>(c.shape)] << "_" << c.bits_per_second / 1'000'000 << "Mbit_"
             << c.most_passes << "C004_seed" << c.seed;
    }
};

// Uniform, the same with every library.
class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
    std::uint32_t bytes() {  // 1 to 4096, small ones as likely as large ones
        const std::uint32_t power = below(12);
        return (1U << power) + below((1U << power) + 1);
    }
    Cycles pause() { return Cycles(1 + below(below(4) == 0 ? 20'000 : 400)); }

private:
    std::mt19937 engine_;
};

struct Cable {
    std::size_t a;
    std::uint8_t a_link;
    std::size_t b;
    std::uint8_t b_link;
};

std::vector<Cable> cables(Shape shape, std::size_t& nodes) {
    std::vector<Cable> all;
    switch (shape) {
        case Shape::Ring:
            nodes = 8;
            for (std::size_t i = 0; i < nodes; ++i) all.push_back({i, 1, (i + 1) % nodes, 2});
            break;
        case Shape::Chain:
            nodes = 6;
            for (std::size_t i = 0; i + 1 < nodes; ++i) all.push_back({i, 1, i + 1, 2});
            break;
        case Shape::Tree:
            nodes = 15;
            for (std::size_t i = 1; i < nodes; ++i) all.push_back({(i - 1) / 2, static_cast<std::uint8_t>(i % 2 + 1), i, 0});
            break;
        case Shape::Mesh:
            nodes = 12;  // 4 x 3
            for (std::size_t i = 0; i < nodes; ++i) {
                if (i % 4 != 3) all.push_back({i, 1, i + 1, 3});
                if (i + 4 < nodes) all.push_back({i, 2, i + 4, 0});
            }
            break;
    }
    return all;
}

topologies::MachineDescription machine_of(const Case& c, const std::vector<Cable>& all, std::size_t nodes, Random& random) {
    using topologies::NodeLink;
    using topologies::SwitchId;
    using topologies::SwitchWay;
    using topologies::WayNo;
    topologies::MachineDescription machine = topologies::chain(2);
    machine.link_bits_per_second = c.bits_per_second;
    machine.nodes.resize(nodes, machine.nodes.front());
    machine.wires.resize(1);  // the host's
    const auto end_of = [](std::size_t node, std::uint8_t link) {
        return NodeLink{NodeId(static_cast<NodeId::value_type>(node)), LinkNo(link)};
    };
    for (const Cable& cable : all) {
        topologies::WireEnd last = end_of(cable.a, cable.a_link);
        const std::uint32_t passes = random.below(static_cast<std::uint32_t>(c.most_passes) + 1);
        for (std::uint32_t i = 0; i < passes; ++i) {
            const SwitchId id(static_cast<SwitchId::value_type>(machine.switches.size()));
            machine.switches.push_back({"x" + std::to_string(machine.switches.size()), {{WayNo(5), WayNo(20)}}});
            machine.wires.push_back({last, SwitchWay{id, WayNo(5)}});
            last = SwitchWay{id, WayNo(20)};
        }
        machine.wires.push_back({last, end_of(cable.b, cable.b_link)});
    }
    return machine;
}

constexpr std::size_t most_processes = 96;
struct Outcome {
    std::size_t processes = 0, ended = 0;
    std::array<std::int64_t, most_processes> ps{};  // when each ended
    std::uint64_t bytes = 0;
};

class Workload {
public:
    Workload(const Case& c, LinkLevel level) : random_(c.seed), all_(cables(c.shape, nodes_)) {
        machine_ = std::make_unique<hw_model::Machine>("machine", machine_of(c, all_, nodes_, random_), hw_test::costs(), 1,
                                                       hw_model::MachineOptions{.links = level});
        machine_->connect_switches();
        switch (c.shape) {
            case Shape::Ring:
                ring();
                break;
            case Shape::Tree:
                tree();
                break;
            default:
                neighbours();
        }
    }

    Outcome run() {
        const Outcome& result = outcome_;
        machine_->run_until(SimTime::s(100));
        return result;
    }

private:
    // A process of a node, and what it can do.
    struct Process {
        hw_model::Node* node = nullptr;
        hw_model::Fiber* fiber = nullptr;
        hw_model::Timeline* timeline = nullptr;

        // Waits while something else takes `time`: another machine, or the user. The process's own work is a use.
        void think(Cycles time) {
            node->processor.wake_at(timeline->now() + node->processor.cycle() * time.count(), *fiber);
            fiber->wait();
        }
        void send(std::uint8_t link, std::uint32_t bytes) {
            fiber->use(Cycles(30));  // set-up and completion
            std::vector<std::byte> content(bytes, static_cast<std::byte>(bytes));
            hw_model::LinkMessage message;
            message.body = content;
            message.wire_bytes = bytes;
            message.sender = fiber;
            node->link(LinkNo(link))->send(message);
            while (!message.sent) fiber->wait();
        }
        std::uint32_t receive(std::uint8_t link) {
            std::vector<std::byte> content;
            hw_model::LinkReceive request;
            request.any_body = &content;
            request.receiver = fiber;
            node->link(LinkNo(link))->receive(request, hw_model::Channel::Datalink);
            while (!request.received) fiber->wait();
            fiber->use(Cycles(30));
            return request.body_bytes;
        }
    };

    void start(std::size_t node_number, hw_model::Priority priority, std::function<void(Process&)> code) {
        hw_model::Node& node = machine_->node(NodeId(static_cast<NodeId::value_type>(node_number)));
        const std::size_t index = outcome_.processes++;
        EXPECTS(index < most_processes, "links_agree_test.processes");
        Process& process = processes_[index];
        process.node = &node;
        process.timeline = &machine_->timeline();
        fibers_.push_back(std::make_unique<hw_model::Fiber>(priority, node.arena, [this, index, code = std::move(code)] {
            code(processes_[index]);
            outcome_.ps[index] = machine_->timeline().now().in_ps();
            ++outcome_.ended;
        }));
        process.fiber = fibers_.back().get();
        node.processor.start(*fibers_.back());
    }
    struct Step {
        std::uint32_t bytes;
        Cycles pause;
    };
    std::vector<Step> steps(std::size_t count) {
        std::vector<Step> list;
        for (std::size_t i = 0; i < count; ++i) {
            list.push_back({random_.bytes(), random_.pause()});
            outcome_.bytes += list.back().bytes;
        }
        return list;
    }

    // Messages run round the ring one after the other; each node passes on what comes.
    void ring() {
        constexpr std::size_t count = 40;
        start(0, hw_model::Priority::High, [list = steps(count)](Process& me) {
            for (const Step& step : list) {
                me.fiber->use(step.pause);
                me.send(1, step.bytes);
            }
        });
        for (std::size_t i = 0; i < nodes_; ++i) {
            start(i, hw_model::Priority::High, [i, list = steps(count)](Process& me) {
                for (const Step& step : list) {
                    const std::uint32_t bytes = me.receive(2);
                    me.fiber->use(step.pause);
                    if (i != 0) me.send(1, bytes);
                }
            });
        }
    }

    // Work goes down from the root, results come up, several rounds; the nodes compute at low priority.
    void tree() {
        constexpr std::size_t rounds = 12;
        for (std::size_t i = 0; i < nodes_; ++i) {
            const bool leaf = 2 * i + 1 >= nodes_;
            start(i, hw_model::Priority::Low, [i, leaf, list = steps(rounds * 3)](Process& me) {
                for (std::size_t round = 0; round < rounds; ++round) {
                    if (i != 0) me.receive(0);
                    for (std::uint8_t child = 1; !leaf && child <= 2; ++child) me.send(child, list[round * 3 + child].bytes);
                    me.fiber->use(list[round * 3].pause, true);
                    for (std::uint8_t child = 1; !leaf && child <= 2; ++child) me.receive(child);
                    if (i != 0) me.send(0, list[round * 3].bytes);
                }
            });
        }
    }

    // A sender and a receiver at each end of each cable, all at once, beside a computation on each node. The pauses are not
    // uses of high priority. Eight processes would run such uses one after the other, in an order that hangs on nanoseconds.
    // The comparison would then no longer be of the links.
    void neighbours() {
        constexpr std::size_t count = 30;
        const auto pair = [&](std::size_t from, std::uint8_t from_link, std::size_t to, std::uint8_t to_link) {
            start(from, hw_model::Priority::High, [from_link, list = steps(count)](Process& me) {
                for (const Step& step : list) {
                    me.think(step.pause);
                    me.send(from_link, step.bytes);
                }
            });
            start(to, hw_model::Priority::High, [to_link, list = steps(count)](Process& me) {
                for (const Step& step : list) {
                    me.receive(to_link);
                    me.think(step.pause);
                }
            });
        };
        for (const Cable& cable : all_) {
            pair(cable.a, cable.a_link, cable.b, cable.b_link);
            pair(cable.b, cable.b_link, cable.a, cable.a_link);
        }
        for (std::size_t i = 0; i < nodes_; ++i) {
            start(i, hw_model::Priority::Low, [](Process& me) { me.fiber->use(Cycles(200'000), true); });
        }
    }

    Random random_;
    std::size_t nodes_ = 0;
    std::vector<Cable> all_;
    std::unique_ptr<hw_model::Machine> machine_;
    std::array<Process, most_processes> processes_{};
    std::vector<std::unique_ptr<hw_model::Fiber>> fibers_;
    Outcome outcome_;
};

class LinksAgree : public testing::TestWithParam<Case> {};

}  // namespace

TEST_P(LinksAgree, OnWhenEachProcessEndsWithinOnePercent) {
    const auto at = [](LinkLevel level) {
        return test_support::in_child([level] { return Workload(GetParam(), level).run(); });
    };
    const auto message = at(LinkLevel::Message), byte = at(LinkLevel::Byte);
    ASSERT_TRUE(message && byte) << "a simulation has died";
    ASSERT_EQ(message->ended, message->processes);
    ASSERT_EQ(byte->ended, byte->processes);
    double worst = 0;
    for (std::size_t i = 0; i < message->processes; ++i) {
        const double ratio = static_cast<double>(byte->ps[i]) / static_cast<double>(message->ps[i]) - 1;
        EXPECT_LT(std::abs(ratio), 0.01) << "process " << i << ": " << static_cast<double>(message->ps[i]) * 1e-6
                                         << " us at message level, " << static_cast<double>(byte->ps[i]) * 1e-6
                                         << " us at byte level";
        if (std::abs(ratio) > std::abs(worst)) worst = ratio;
    }
    std::printf("largest difference %.3f %%, %zu bytes\n", worst * 100, static_cast<std::size_t>(message->bytes));
}

std::vector<Case> cases() {
    std::vector<Case> all;
    std::uint32_t seed = 0;
    for (const Shape shape : {Shape::Ring, Shape::Tree, Shape::Mesh, Shape::Chain}) {
        for (const std::int64_t speed : {20, 10, 5}) {
            for (const int passes : {0, 1, 3}) {
                for (int i = 0; i < 2; ++i) all.push_back({shape, speed * 1'000'000, passes, ++seed});
            }
        }
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(Random, LinksAgree, testing::ValuesIn(cases()));
