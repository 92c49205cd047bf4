// A farm of the simulated application on the machine of its tree, with the truth about it.
#pragma once

#include <set>
#include <vector>

#include <ground_truth/truth.hpp>
#include <trek_hosted/farm_on_machine.hpp>
#include <trek_kernel/simulated_application.hpp>

#include "test_multicomputer.hpp"

namespace test_support {

inline topologies::MachineDescription machine_of(farm_spec::TreeKind tree, std::size_t nodes) {
    switch (tree) {
        case farm_spec::TreeKind::Chain:
            return topologies::chain(nodes);
        case farm_spec::TreeKind::Binary:
            return topologies::binary_tree(nodes);
        case farm_spec::TreeKind::Ternary:
            return topologies::ternary_tree(nodes);
        case farm_spec::TreeKind::Given:
            break;
    }
    return {};
}

// Every task computes for `compute_us`; the other blocks take no time and no memory.
inline trek_kernel::TaskTable uniform_tasks(std::uint64_t compute_us) {
    trek_kernel::TaskTable tasks;
    trek_kernel::TaskDescription one{};
    one.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us = compute_us;
    tasks.set(0, one);
    return tasks;
}

class TestFarm : public TestMulticomputer {
public:
    TestFarm(const farm_spec::FarmSpec& config, trek_kernel::TaskTable tasks, trek_kernel::SimulatedSizes sizes = {},
             std::uint64_t seed = 1)
        : TestMulticomputer(machine_of(config.tree, config.nodes), standard_costs(), seed),
          application(std::move(tasks), sizes),
          farm(trek_hosted::farm_setup(box, config, standard_costs(), application, {&truth})) {
        box.start_at_once();
        trek_hosted::start_farm(box, farm);
    }
    bool run(SimTime limit = SimTime::s(1000)) {
        return run_until([this] { return farm.result().finished; }, limit, SimTime::ms(10));
    }
    // Tasks whose result has reached the manager, in the order of arrival.
    std::vector<std::uint32_t> returned() const {
        std::vector<std::uint32_t> tasks;
        for (const auto& event : truth.events()) {
            if (event.node == 0 && event.is_result != 0 && event.kind == trace_record::EventKind::Receive)
                tasks.push_back(event.task);
        }
        return tasks;
    }
    bool every_task_returned_once(std::uint32_t tasks) const {
        const auto all = returned();
        return all.size() == tasks && std::set<std::uint32_t>(all.begin(), all.end()).size() == tasks;
    }

    ground_truth::Truth truth;
    trek_kernel::SimulatedApplication application;
    trek_kernel::Farm farm;
};

}  // namespace test_support
