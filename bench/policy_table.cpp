// Compares the distribution policies, as the table in docs/results/farm.md: the same uneven tasks on three trees. Times are
// modelled, so the output is the same on every machine.
//
//   policy_table
//
// One task in ten takes 40 to 80 ms, the others 1 to 8 ms. Independently of this, one in ten is urgent. Rate: slope of a
// straight line through the arrivals of the results at the manager, without the first 30 and the last 15 per cent. Makespan:
// from the first event to the last result. Urgent, all: mean time from do_task() to the result at the manager.
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <ground_truth/truth.hpp>
#include <topologies/generators.hpp>
#include <trek_hosted/farm_on_machine.hpp>
#include <vocabulary/split_mix.hpp>

#include "measure.hpp"

namespace {

using farm_spec::FarmSpec;
using farm_spec::Policy;
using farm_spec::TreeKind;
using trek_kernel::Bytes;
using vocabulary::NodeId;
using vocabulary::SimTime;

constexpr std::uint32_t task_count = 300;

std::int32_t microseconds_of(std::uint32_t task) {
    const std::uint64_t draw = vocabulary::split_mix(11, task);
    const bool is_long = draw % 10 == 0;
    return static_cast<std::int32_t>(is_long ? 40'000 + draw / 16 % 40'000 : 1000 + draw / 16 % 7000);
}

bool is_urgent(std::uint32_t task) {
    return vocabulary::split_mix(12, task) % 10 == 0;
}

class UnevenTasks final : public trek_kernel::Application {
public:
    void data_generator(trek_kernel::Master& master) override {
        for (std::uint32_t task = 0; task < task_count; ++task) {
            issued.push_back(master.api().port().now());
            master.do_task(Bytes(whole), {.priority = is_urgent(task) ? 1 : 0});
        }
    }
    void result_receiver(trek_kernel::Master& master) override {
        for (std::uint32_t got = 0; got < task_count; ++got) master.get_result(nullptr);
    }
    Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override {
        context.work(SimTime::us(microseconds_of(context.identity().task) * static_cast<std::int64_t>(task.size()) / whole));
        return Bytes(whole);
    }
    std::vector<Bytes> split(trek_kernel::Context& context, std::span<const std::byte> task, std::size_t degree) override {
        context.work(SimTime::us(50));
        return std::vector<Bytes>(degree, Bytes(task.size() / degree));
    }

    std::vector<SimTime> issued;  // by task

private:
    static constexpr std::int64_t whole = 64;  // bytes of a task; a part's time is proportional to its bytes
};

struct Tree {
    const char* name;
    topologies::MachineDescription machine;
    FarmSpec config;
};

// A torus of 16 whose manager has four children. The branches: a chain of five, a node with three leaves, a chain of two, and a
// leaf.
Tree given() {
    Tree tree{"given, 12 workers", topologies::torus(4, 4, {.gateway = true}), {.nodes = 17, .tree = TreeKind::Given}};
    tree.config.parents.resize(17);
    const std::vector<std::pair<std::uint16_t, std::uint16_t>> branches{{0, 4}, {4, 8}, {8, 9},  {9, 10}, {10, 14}, {0, 3},
                                                                        {3, 2}, {3, 7}, {3, 15}, {0, 12}, {12, 13}, {0, 16}};
    for (const auto& [above, below] : branches) tree.config.parents[below] = NodeId(above);
    return tree;
}

struct Result {
    double makespan_ms = 0, rate = 0, urgent_ms = 0, all_ms = 0;
    std::uint64_t moved_back = 0;
    bool finished = false;
};

Result run(const Tree& tree, Policy policy, std::uint32_t buffers) {
    const auto costs = topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
    trollius_hosted::Multicomputer box(tree.machine, costs, 1, {});
    UnevenTasks application;
    ground_truth::Truth truth;
    FarmSpec config = tree.config;
    config.tasks = task_count, config.buffers = buffers, config.policy = policy;
    trek_kernel::Farm farm(trek_hosted::farm_setup(box, config, costs, application, {&truth}));
    box.start_at_once();
    trek_hosted::start_farm(box, farm);
    box.run(SimTime::s(1000), SimTime::ms(10), [&] { return farm.result().finished; });
    Result result{.finished = farm.result().finished};
    double n = 0, x = 0, t = 0, xt = 0, tt = 0, number = 0, last = 0, urgent = 0;
    for (const auto& event : truth.events()) {
        const bool back = event.is_result == 0 && config.parent(NodeId(event.node)) == NodeId(event.peer);
        result.moved_back += back && event.kind == trace_record::EventKind::Send ? 1 : 0;
        if (event.node != 0 || event.is_result == 0) continue;
        const double when = static_cast<double>(event.time_us) * 1e-6;
        last = when, ++number;
        const double latency_ms = (when - application.issued[event.task].in_seconds()) * 1e3;
        result.all_ms += latency_ms / task_count;
        if (is_urgent(event.task)) result.urgent_ms += latency_ms, urgent += 1;
        if (number < 0.30 * task_count || number > 0.85 * task_count) continue;
        n += 1, x += number, t += when, xt += number * when, tt += when * when;
    }
    result.urgent_ms /= urgent;
    result.makespan_ms = (last - truth.first_event().in_seconds()) * 1e3;
    result.rate = (n * xt - x * t) / (n * tt - t * t);
    return result;
}

}  // namespace

int main() {
    std::vector<Tree> trees;
    trees.push_back({"chain of 6 nodes", topologies::chain(6), {.nodes = 6, .tree = TreeKind::Chain}});
    trees.push_back({"binary, 15 workers", topologies::binary_tree(16), {.nodes = 16, .tree = TreeKind::Binary}});
    trees.push_back(given());
    Tree divided{"binary, 15 workers, degree 2", topologies::binary_tree(16), {.nodes = 16, .tree = TreeKind::Binary}};
    divided.config.degree = 2, divided.config.depth = 3;
    trees.push_back(std::move(divided));
    std::printf(
        "| tree | buffers | policy | rate, tasks/s | makespan, ms | urgent, ms | all, ms | moved back up |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (const Tree& tree : trees) {
        for (const std::uint32_t buffers : {4U, 16U}) {
            for (const Policy policy : {Policy::FloodFilling, Policy::RoundRobin, Policy::WorkStealing, Policy::Priorities}) {
                const char* name = farm_spec::policy_name(policy);
                const Result result = bench::in_child(name, [&] { return run(tree, policy, buffers); });
                if (!result.finished) return 1;
                std::printf("| %s | %u | %s | %.1f | %.1f | %.1f | %.1f | %llu |\n", tree.name, buffers, name, result.rate,
                            result.makespan_ms, result.urgent_ms, result.all_ms,
                            static_cast<unsigned long long>(result.moved_back));
            }
        }
    }
    return 0;
}
