// One farm of farm_bench, ready to run: flood-filling on a binary tree, with exact pre-emption and the truth recorded. Also
// what queue_bench records. SystemC elaborates once a process, so there is one FarmRun in each.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ground_truth/truth.hpp>
#include <topologies/generators.hpp>
#include <trek_hosted/farm_on_machine.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace bench {

struct Workload {
    const char* name;
    std::uint32_t nodes, tasks;
    std::uint64_t task_us;
    std::size_t task_bytes, result_bytes;
    topologies::LinkLevel links = topologies::LinkLevel::Message;
};

// F1, F2 and F3 of the performance table.
inline constexpr Workload f1{"f1", 75, 20'000, 1'000'000, 1000, 100};
inline constexpr Workload f2{"f2", 1024, 20'000, 1'000'000, 1000, 100};
inline constexpr Workload f3{"f3", 75, 50'000, 10'000, 100, 100};

class FarmRun {
public:
    explicit FarmRun(const Workload& work)
        : costs_(topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml")),
          nodes_(work.nodes),
          box(topologies::binary_tree(work.nodes), costs_, 1, {}, options_of(work)),
          application_(tasks_of(work), {work.task_bytes, work.result_bytes}),
          farm(trek_hosted::farm_setup(box, {.nodes = work.nodes, .tasks = work.tasks}, costs_, application_, {&truth_})) {
        box.start_at_once();
        trek_hosted::start_farm(box, farm);
    }
    // Until every node has its part of the farm.
    void start_nodes() {
        box.run(vocabulary::SimTime::us(50'000), vocabulary::SimTime::us(10), [&] { return farm.started_nodes() == nodes_; });
    }
    void finish() {
        box.run(vocabulary::SimTime::s(100'000), vocabulary::SimTime::ms(100), [&] { return farm.result().finished; });
    }

private:
    static trek_kernel::TaskTable tasks_of(const Workload& work) {
        trek_kernel::TaskDescription one{};
        one.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)] = {work.task_us, 0, 0};
        trek_kernel::TaskTable tasks;
        tasks.set(0, one);
        return tasks;
    }
    static hw_model::MachineOptions options_of(const Workload& work) {
        hw_model::MachineOptions options;
        options.links = work.links;
        return options;
    }
    topologies::CostTable costs_;
    std::uint32_t nodes_;

public:
    trollius_hosted::Multicomputer box;

private:
    trek_kernel::SimulatedApplication application_;
    ground_truth::Truth truth_;

public:
    trek_kernel::Farm farm;
};

}  // namespace bench
