// Random calls on three nodes, and random ends of the processes that make them. In the end every service works, and waits.
#include <gmock/gmock.h>

#include <random>
#include <utility>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::ProcessState;

namespace {
constexpr EventNo of_transport{200}, of_the_check{555};

class RandomDooms {
public:
    explicit RandomDooms(unsigned seed) : bench_(topologies::chain(3)), random_(seed) {
        bench_.box.programs()["mix"] = {4'000, 1024, [](Api& api, const trollius_os::Arguments& seed) {
                                            std::mt19937 random(static_cast<unsigned>(std::stoul(seed.at(0))));
                                            std::vector<std::byte> room(10'000);
                                            while (true) {
                                                call(api, random, room);
                                                api.compute(SimTime::us(random() % 500));
                                            }
                                        }};
        bench_.box.start_at_once();
        bench_.run_for(SimTime::ms(20));
    }
    // True: the host's process came to its end.
    bool run() {
        bool done = false;
        bench_.box.host().create({"user", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                      for (int i = 0; i < 90; ++i) start_and_doom(api, i);
                                      while (!live_.empty()) doom_one(api);
                                      for (const NodeId node : nodes) trollius_os::wipe_buffers(api, node);
                                      done = true;
                                  }});
        bench_.run_for(SimTime::s(60));
        return done;
    }
    // The processes that neither wait for a message, nor for a link, nor have ended.
    std::vector<std::string> busy() {
        std::vector<std::string> names;
        for (const NodeId node : nodes) {
            for (const auto& p : bench_.box.kernel(node).processes()) {
                const bool rests = p->state() == ProcessState::Ended || p->state() == ProcessState::BlockedReceiving;
                if (!rests && !p->name().starts_with("dli_")) names.push_back(p->name());
            }
        }
        return names;
    }
    bool works(NodeId from, NodeId to) {
        bool got = false;
        bench_.user(to.value(), [&](Api& api) {
            Message message{.event = of_the_check};
            api.nrecv(message);
            got = true;
        });
        bench_.user(from.value(), [to](Api& api) {
            Message message{.node = to, .event = of_the_check};
            api.nsend(message);
        });
        bench_.run_for(SimTime::ms(100));
        return got;
    }

private:
    static void call(Api& api, std::mt19937& random, std::vector<std::byte>& room) {
        const auto what = random() % 10;
        const NodeId to(static_cast<std::uint16_t>(random() % 3));
        const EventNo event(static_cast<std::int32_t>(100 + random() % 3));
        const std::uint32_t length = random() % 3 == 0 ? 9'000 : static_cast<std::uint32_t>(random() % 100);
        Message out{.node = to, .event = event, .length = length, .body = std::span(room).first(length)};
        Message in{.event = event, .body = room};
        if (what < 2) {
            api.nsend(out);
        } else if (what < 5) {
            api.nrecv(in);
        } else if (what == 5) {
            out.event = of_transport;
            api.tsend(out);
        } else if (what == 6) {
            in.event = of_transport;
            api.trecv(in);
        } else if (what == 7) {
            api.nprobe(event, 0);
        } else if (what == 8) {
            trollius_os::buffer_state(api, to);
        } else {
            random() % 2 == 0 ? api.ntry_send(out) : api.ntry_recv(in);
        }
    }
    void start_and_doom(Api& api, int round) {
        const NodeId node(static_cast<std::uint16_t>(random_() % 3));
        const std::int32_t flags = random_() % 2 == 0 ? trollius_os::services::rtf_wait : 0;
        const auto created = trollius_os::loadgo(api, node, bench_.box.host_id(), "mix", {std::to_string(random_())}, flags);
        ASSERT_TRUE(created);
        live_.emplace_back(node, created.pid);
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + random_() % 5'000);
        while (live_.size() > 12) doom_one(api);
        for (const NodeId swept : nodes) {
            if (round % 5 == 0) trollius_os::sweep_buffers(api, swept);
        }
    }
    void doom_one(Api& api) {
        const auto one = live_.begin() + static_cast<std::ptrdiff_t>(random_() % live_.size());
        trollius_os::doom(api, one->first, one->second);
        live_.erase(one);
    }

    static constexpr NodeId nodes[] = {NodeId(0), NodeId(1), NodeId(2)};
    TestMulticomputer bench_;
    std::mt19937 random_;
    std::vector<std::pair<NodeId, vocabulary::ProcessId>> live_;
};

}  // namespace

class Dooms : public testing::TestWithParam<unsigned> {};

TEST_P(Dooms, OfAnyProcessAtAnyTimeLeaveTheServicesWorking) {
    RandomDooms bench(GetParam());
    EXPECT_TRUE(bench.run());
    EXPECT_THAT(bench.busy(), testing::IsEmpty());
    EXPECT_TRUE(bench.works(NodeId(0), NodeId(2)));
    EXPECT_TRUE(bench.works(NodeId(2), NodeId(1)));
}
INSTANTIATE_TEST_SUITE_P(Seeds, Dooms, testing::Range(0u, 60u));
