// A Multicomputer for tests: the standard prices, processes put on a node by hand, and its printed text. One a test case,
// because SystemC elaborates once.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <topologies/cost_table.hpp>
#include <topologies/generators.hpp>
#include <topologies/machine_parser.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace test_support {

using vocabulary::NodeId;
using vocabulary::SimTime;

inline topologies::CostTable standard_costs() {
    return topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
}

inline topologies::MachineDescription machine_file(const std::string& name) {
    return topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/" + name + ".yaml");
}

class TestMulticomputer {
public:
    explicit TestMulticomputer(const topologies::MachineDescription& description,
                               const topologies::CostTable& costs = standard_costs(), std::uint64_t seed = 1)
        : box(description, costs, seed, [this](NodeId, const std::string& text) { printed += text; }) {}

    // A user process on a node; 0 and up are nodes.
    trollius_os::Process* user(std::uint16_t node, trollius_os::ProcessCode code, int kernel_priority = 0) {
        return box.kernel(NodeId(node)).create({"user", trollius_os::Priority::Low, kernel_priority, 1024, std::move(code)});
    }
    void run_for(SimTime duration) {
        reached_ += duration;
        box.machine().run_until(reached_);
    }
    // Checks `done` every `step`. False when it did not come true within `limit`, or when nothing can happen any more.
    bool run_until(const std::function<bool()>& done, SimTime limit = SimTime::s(100), SimTime step = SimTime::ms(1)) {
        hw_model::Timeline& timeline = box.machine().timeline();
        while (!done() && timeline.next_time() <= limit) {
            reached_ = std::min(limit, std::max(timeline.next_time(), timeline.now() + step));
            box.machine().run_until(reached_);
        }
        return done();
    }
    std::uint64_t rendezvous() {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i <= box.node_count(); ++i)
            sum += box.kernel(NodeId(static_cast<NodeId::value_type>(i))).rendezvous_count();
        return sum;
    }

    std::string printed;
    trollius_hosted::Multicomputer box;

private:
    SimTime reached_;
};

}  // namespace test_support
