// Machines for the tests of Trollius' behaviours.
#pragma once

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

namespace behaviours {

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::ProcessState;

inline constexpr EventNo of_behaviour{77}, beside_it{78};

// Processes of n1 only, without any service.
struct OneNode : TestMulticomputer {
    OneNode() : TestMulticomputer(topologies::chain(2)) {}
    trollius_os::Kernel& kernel() { return box.kernel(NodeId(1)); }
};

// A chain with its services, and a command of its host.
struct Chain : TestMulticomputer {
    explicit Chain(std::size_t nodes) : TestMulticomputer(topologies::chain(nodes)) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void on_host(const std::function<void(Api&)>& code, SimTime limit = SimTime::s(2)) {
        bool done = false;
        box.host().create({"command", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                               code(api);
                               done = true;
                           }});
        run_for(limit);
        EXPECT_TRUE(done);
    }
    static void sleep(Api& api, std::uint64_t us) {
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + us);
    }
    // Numbered messages for `of_behaviour` of a node; `left` counts those that have left the sender.
    trollius_os::Process* send(std::uint16_t from, std::uint16_t to, int count, std::uint32_t bytes, int& left,
                               std::uint32_t flags = 0, EventNo event = of_behaviour) {
        return user(from, [=, &left](Api& api) {
            std::vector<std::byte> body(bytes);
            for (int i = 0; i < count; ++i) {
                Message message{.node = NodeId(to), .event = event, .flags = flags, .data = {i}, .length = bytes, .body = body};
                api.nsend(message);
                ++left;
            }
        });
    }
    void receive(std::uint16_t at, int count, std::vector<int>& got, std::uint32_t flags = 0, EventNo event = of_behaviour) {
        user(at, [=, &got](Api& api) {
            for (int i = 0; i < count; ++i) {
                Message message{.event = event, .flags = flags};
                api.nrecv(message);
                got.push_back(message.data[0]);
            }
        });
    }
};

inline std::vector<int> up_to(int count) {
    std::vector<int> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), 0);
    return result;
}

}  // namespace behaviours
