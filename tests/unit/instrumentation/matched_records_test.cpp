// Records of messages name their partners: random workloads on machines with several hops, held against what programs sent and
// received, and against the true times.
#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <tmon_order/channel_matcher.hpp>

#include "monitored_machine.hpp"

namespace {

using instrumentation::MonitorSettings;
using instrumentation::WhenFull;
using instrumentation_test::MonitoredMachine;
using trace_record::ClassSet;
using trace_record::Event;
using trace_record::EventClass;
using trace_record::EventKind;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::KernelAct;
using trollius_os::Message;
using trollius_os::MessageTag;
using vocabulary::NodeId;
using vocabulary::ProcessId;
using vocabulary::SimTime;

using MessageId = std::uint32_t;                         // the number that a program gives to its message
using Client = std::pair<std::uint16_t, std::uint32_t>;  // node and process

// True times of the acts on tagged messages.
class TrueMessages final : public trollius_os::Witness {
public:
    void on_event(const trollius_os::KernelEvent& what, const trollius_os::Process& process, SimTime when) override {
        if (process.name() != "user" || !what.tag) return;
        if (what.act == KernelAct::SendCall) calls.emplace(*what.tag, when);
        if (what.act == KernelAct::MessageReceive) receives.emplace(*what.tag, when);
    }
    std::map<MessageTag, SimTime> calls, receives;
};

MonitorSettings message_settings(WhenFull when_full = WhenFull::DropNewest) {
    MonitorSettings settings;
    settings.classes = ClassSet::of(EventClass::Message);
    settings.when_full = when_full;
    return settings;
}

topologies::CostTable without_drift() {
    topologies::CostTable costs = test_support::standard_costs();
    costs.set("clock.drift_most", 0, "test");
    return costs;
}

constexpr std::uint32_t events = 3;

// On each node two processes that send, and one that receives for each of three events.
class RandomTraffic {
public:
    RandomTraffic(MonitoredMachine& machine, unsigned seed, int sends) : machine_(machine) {
        for (const NodeId node : machine.nodes) machine.box.kernel(node).add_witness(truth);
        std::mt19937 random(seed);
        for (const NodeId node : machine.nodes) {
            for (std::uint32_t event = 1; event <= events; ++event)
                start_receiver(node, EventNo(static_cast<std::int32_t>(event)));
        }
        for (const NodeId node : machine.nodes) {
            start_sender(node, random(), sends);
            start_sender(node, random(), sends);
        }
        wanted_ = machine.nodes.size() * 2 * static_cast<std::size_t>(sends);
    }
    bool run() {
        return machine_.run_until([this] { return received_ == wanted_; });
    }

    TrueMessages truth;
    std::map<Client, std::vector<MessageId>> sent, received;  // in the order of the process's calls

private:
    void start_receiver(NodeId node, EventNo event) {
        machine_.user(node.value(), [this, node, event](Api& api) {
            auto& its = received[{node.value(), api.pid().value()}];
            while (true) {
                std::vector<std::byte> body;
                Message message{.event = event, .any_body = &body};
                api.nrecv(message);
                MessageId id = 0;
                std::memcpy(&id, body.data(), sizeof id);
                its.push_back(id);
                ++received_;
            }
        });
    }
    void start_sender(NodeId node, std::uint32_t seed, int sends) {
        machine_.user(node.value(), [this, node, seed, sends](Api& api) {
            std::mt19937 random(seed);
            auto& its = sent[{node.value(), api.pid().value()}];
            for (int i = 0; i < sends; ++i) {
                // One packet each: those of longer ones may interleave (Calls::nsend).
                const std::uint32_t bytes = random() % 8 == 0 ? 4 + random() % 4000 : 4 + random() % 200;
                std::vector<std::byte> body(bytes);
                const MessageId id = ++last_id_;
                std::memcpy(body.data(), &id, sizeof id);
                its.push_back(id);
                Message message{.node = machine_.nodes[random() % machine_.nodes.size()],
                                .event = EventNo(static_cast<std::int32_t>(1 + random() % events)),
                                .length = bytes,
                                .body = body};
                api.nsend(message);
                api.compute(SimTime::us(random() % 3000));
            }
        });
    }

    MonitoredMachine& machine_;
    MessageId last_id_ = 0;
    std::size_t received_ = 0, wanted_ = 0;
};

// The program's own number of the message of each record, in a trace without losses. Records of a process stand in the order of
// its calls.
std::map<std::pair<std::uint16_t, std::uint32_t>, MessageId> ids_of(const MonitoredMachine& machine, EventKind kind,
                                                                    const std::map<Client, std::vector<MessageId>>& of) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, MessageId> ids;
    std::map<Client, std::size_t> next;
    for (const auto& records : machine.records) {
        for (const auto& [seq, event] : records) {
            if (event.kind != kind) continue;
            const Client client{event.node, event.subtask};
            const auto found = of.find(client);
            const std::size_t at = next[client]++;
            if (found != of.end() && at < found->second.size()) ids[{event.node, seq}] = found->second[at];
        }
    }
    return ids;
}

struct Joined {
    Event call, receive;
};

std::vector<Joined> join(const MonitoredMachine& machine) {
    tmon_order::ChannelMatcher matcher(machine.nodes.size());
    std::vector<Joined> all;
    for (const auto& records : machine.records) {
        for (const auto& [seq, event] : records) {
            const std::uint64_t own = std::uint64_t{event.node} << 32 | seq;
            for (const std::uint64_t other : matcher.match(event, own)) {
                const Event& its = machine.records[other >> 32].at(static_cast<std::uint32_t>(other));
                all.push_back(event.kind == EventKind::SendCall ? Joined{event, its} : Joined{its, event});
            }
        }
    }
    return all;
}

void expect_true_times(const TrueMessages& truth, std::size_t messages) {
    EXPECT_EQ(truth.calls.size(), messages);
    EXPECT_EQ(truth.receives.size(), messages);
    for (const auto& [tag, when] : truth.receives) {
        const auto call = truth.calls.find(tag);
        ASSERT_NE(call, truth.calls.end()) << tag.sender.value() << ", message " << tag.number;
        EXPECT_LE(call->second, when) << tag.sender.value() << ", message " << tag.number;
    }
}

void expect_that_all_partners_are_right(const topologies::MachineDescription& description, unsigned seed) {
    MonitoredMachine machine(description, without_drift(), message_settings(WhenFull::Stop));
    RandomTraffic traffic(machine, seed, 30);
    ASSERT_TRUE(traffic.run());
    ASSERT_TRUE(machine.quit());
    const std::size_t messages = machine.nodes.size() * 60;
    expect_true_times(traffic.truth, messages);
    const auto sent = ids_of(machine, EventKind::SendCall, traffic.sent);
    const auto received = ids_of(machine, EventKind::MessageReceive, traffic.received);
    EXPECT_EQ(sent.size(), messages);
    EXPECT_EQ(received.size(), messages);
    const auto joined = join(machine);
    EXPECT_EQ(joined.size(), messages);
    for (const Joined& message : joined) {
        EXPECT_EQ(sent.at({message.call.node, message.call.seq}), received.at({message.receive.node, message.receive.seq}));
        EXPECT_EQ(message.receive.peer, message.call.node);
        EXPECT_EQ(message.call.peer, message.receive.node);
        EXPECT_EQ(message.call.task, message.receive.task) << "the event";
        EXPECT_LE(machine.true_time(message.call), machine.true_time(message.receive));
    }
}

// With little room, whichever record is given up: what is joined belongs together, by its true times.
void expect_that_nothing_is_joined_wrongly(WhenFull when_full, unsigned seed) {
    MonitoredMachine machine(topologies::ring(6), without_drift(), message_settings(when_full), 6);
    RandomTraffic traffic(machine, seed, 40);
    ASSERT_TRUE(traffic.run());
    ASSERT_TRUE(machine.quit());
    std::uint64_t lost = 0;
    for (const std::uint64_t of_node : machine.lost_records) lost += of_node;
    EXPECT_GT(lost, 100U);
    const auto joined = join(machine);
    EXPECT_GT(joined.size(), 10U);
    const auto near = [&](const Event& event, SimTime when) {
        const SimTime tick = SimTime::us(1);  // a record's time is the difference of two readings of the clock
        return machine.true_time(event) <= when + tick && when <= machine.true_time(event) + tick;
    };
    for (const Joined& message : joined) {
        const MessageTag tag{.sender = NodeId(message.call.node), .number = message.call.bytes};
        EXPECT_TRUE(near(message.call, traffic.truth.calls.at(tag)));
        EXPECT_TRUE(near(message.receive, traffic.truth.receives.at(tag)));
    }
}

}  // namespace

class RandomMessages : public testing::TestWithParam<unsigned> {};

TEST_P(RandomMessages, OfARingAreNamedExactlyByTheirReceives) {
    expect_that_all_partners_are_right(topologies::ring(7), GetParam());
}
TEST_P(RandomMessages, RoutedOverAMeshAreNamedExactlyByTheirReceives) {
    expect_that_all_partners_are_right(topologies::mesh(3, 3), GetParam());
}
TEST_P(RandomMessages, AreNeverJoinedWronglyWhenTheNewestRecordsAreLost) {
    expect_that_nothing_is_joined_wrongly(WhenFull::DropNewest, GetParam());
}
TEST_P(RandomMessages, AreNeverJoinedWronglyWhenTheOldestRecordsAreLost) {
    expect_that_nothing_is_joined_wrongly(WhenFull::OverwriteOldest, GetParam());
}
TEST_P(RandomMessages, AreNeverJoinedWronglyWhenDetailIsLost) {
    expect_that_nothing_is_joined_wrongly(WhenFull::Degrade, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomMessages, testing::Values(1, 2, 3));

// A pipeline: each node sends what it has received to the next one.
TEST(MatchedRecords, OfAPipelineFormChainsFromItsHeadToItsEnd) {
    MonitoredMachine machine(topologies::chain(6), without_drift(), message_settings());
    constexpr int tokens = 8;
    int arrived = 0;
    for (std::uint16_t node = 0; node < 6; ++node) {
        machine.user(node, [node, &arrived](Api& api) {
            for (int i = 0; i < tokens; ++i) {
                Message message{.event = EventNo(9)};
                if (node > 0) api.nrecv(message);
                message.node = NodeId(node + 1);
                if (node < 5) api.nsend(message);
                arrived += node == 5 ? 1 : 0;
            }
        });
    }
    ASSERT_TRUE(machine.run_until([&] { return arrived == tokens; }));
    ASSERT_TRUE(machine.quit());
    const auto joined = join(machine);
    ASSERT_EQ(joined.size(), 5U * tokens);
    std::map<std::uint16_t, std::uint32_t> next;
    for (const Joined& message : joined) {
        EXPECT_EQ(message.receive.node, message.call.node + 1);
        EXPECT_EQ(message.call.bytes, ++next[message.call.node]) << "each node's messages are numbered and stay in order";
    }
}

TEST(MatchedRecords, HaveNoPartnerWhileTheSenderRecordsNoMessages) {
    MonitoredMachine machine(topologies::chain(3), without_drift(), message_settings());
    int arrived = 0;
    machine.user(2, [&](Api& api) {
        for (; arrived < 3; ++arrived) {
            Message message{.event = EventNo(9)};
            api.nrecv(message);
        }
    });
    const auto send_one = [&](int number) {
        machine.user(0, [](Api& api) {
            Message message{.node = NodeId(2), .event = EventNo(9)};
            api.nsend(message);
        });
        machine.run_until([&] { return arrived == number; });
    };
    machine.switch_messages(false, {NodeId(0)});
    send_one(1);
    machine.switch_messages(true, {NodeId(0)});
    send_one(2);
    machine.switch_messages(false, {NodeId(2)});
    send_one(3);
    ASSERT_TRUE(machine.quit());
    std::vector<EventKind> of_sender, of_receiver;
    std::vector<std::uint16_t> peers;
    for (const auto& [seq, event] : machine.records[0]) of_sender.push_back(event.kind);
    for (const auto& [seq, event] : machine.records[2]) {
        of_receiver.push_back(event.kind);
        if (event.kind == EventKind::MessageReceive) peers.push_back(event.peer);
    }
    EXPECT_THAT(of_sender,
                testing::ElementsAre(EventKind::SendCall, EventKind::MessageSend, EventKind::SendCall, EventKind::MessageSend));
    EXPECT_THAT(of_receiver, testing::ElementsAre(EventKind::ReceiveCall, EventKind::MessageReceive, EventKind::ReceiveCall,
                                                  EventKind::Partner, EventKind::MessageReceive, EventKind::ReceiveCall));
    EXPECT_THAT(peers, testing::ElementsAre(trace_record::unknown_peer, 0));
    EXPECT_EQ(join(machine).size(), 1U);
}
