// A machine whose services run, and processes that send to casts of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <topologies/generators.hpp>
#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

struct CastBench : test_support::TestMulticomputer {
    using NodeId = vocabulary::NodeId;
    using SimTime = vocabulary::SimTime;
    static constexpr trollius_os::EventNo chat{77};

    explicit CastBench(const topologies::MachineDescription& machine) : TestMulticomputer(machine) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    static std::vector<NodeId> nodes(std::initializer_list<int> numbers) {
        std::vector<NodeId> all;
        for (const int number : numbers) all.emplace_back(static_cast<NodeId::value_type>(number));
        return all;
    }
    std::vector<NodeId> all_nodes() {
        std::vector<NodeId> all;
        for (std::size_t i = 0; i < box.node_count(); ++i) all.emplace_back(static_cast<NodeId::value_type>(i));
        return all;
    }
    trollius_os::CastCreated create(const std::vector<NodeId>& members, std::uint16_t by = 0) {
        std::optional<trollius_os::CastCreated> created;
        user(by, [&](trollius_os::Api& api) { created = trollius_os::rcast(api, members); });
        run_until([&] { return created.has_value(); });
        EXPECT_TRUE(created) << "no answer";
        return created.value_or(trollius_os::CastCreated{-1, {}});
    }
    // Letters that a node's reader gets, in order. The reader outlives the call.
    void read(std::uint16_t node, std::string& into) {
        user(node, [&into](trollius_os::Api& api) {
            while (true) {
                std::vector<std::byte> body;
                trollius_os::Message message{.event = chat, .any_body = &body};
                api.nrecv(message);
                into += static_cast<char>(message.data[0]);
                into += message.length > 0 ? "+" : "";
            }
        });
    }
    void send(std::uint16_t node, NodeId to, char letter, int times = 1) {
        user(node, [=](trollius_os::Api& api) {
            for (int i = 0; i < times; ++i) {
                trollius_os::Message message{.node = to, .event = chat, .data = {letter}};
                api.nsend(message);
            }
        });
    }
};
