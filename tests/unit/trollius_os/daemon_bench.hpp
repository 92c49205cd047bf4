// A chain of four nodes, with services that are asked by a process of a node or of the host.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

namespace test_support {

struct DaemonBench : TestMulticomputer {
    explicit DaemonBench(const topologies::CostTable& costs = standard_costs())
        : TestMulticomputer(topologies::chain(4), costs) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    // Runs `code` on the host, or on a node, to its end.
    void ask(const std::function<void(trollius_os::Api&)>& code, std::optional<std::uint16_t> node = std::nullopt) {
        bool done = false;
        begin(code, done, node);
        EXPECT_TRUE(run_until([&] { return done; }, box.now() + SimTime::s(10)));
    }
    // Begins it only. `done` outlives the run.
    void begin(const std::function<void(trollius_os::Api&)>& code, bool& done,
               std::optional<std::uint16_t> node = std::nullopt) {
        const auto all = [code, &done](trollius_os::Api& api) {
            code(api);
            api.settle();
            done = true;
        };
        if (node) {
            user(*node, all);
        } else {
            box.host().create({"user", trollius_os::Priority::Low, 0, 1024, all});
        }
    }
    bool runs(std::uint16_t node, const std::string& name) {
        for (const auto& process : box.kernel(NodeId(node)).processes())
            if (process->name() == name) return true;
        return false;
    }
};

}  // namespace test_support
