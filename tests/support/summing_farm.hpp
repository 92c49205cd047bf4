// A farm on any machine and tree whose results can be checked: each task is some bytes, its result their sum. Lengths and
// computation times differ from task to task.
#pragma once

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <ground_truth/truth.hpp>
#include <trek_hosted/farm_on_machine.hpp>
#include <vocabulary/split_mix.hpp>

#include "test_multicomputer.hpp"

namespace test_support {

class SummingApplication final : public trek_kernel::Application {
public:
    using Bytes = trek_kernel::Bytes;
    std::function<SimTime(const trek_kernel::TaskIdentity&)> time_of = [](const trek_kernel::TaskIdentity& whose) {
        return SimTime::us(static_cast<std::int64_t>(100 + vocabulary::split_mix(3, whose.task) % 3000));
    };
    std::size_t longer = 0;            // bytes of each result beside its number
    SimTime post_process = SimTime();  // of each result
    std::function<trek_kernel::Output(std::uint32_t task)> sent_how = [](std::uint32_t) { return trek_kernel::Output{}; };
    std::map<std::uint32_t, std::vector<std::uint32_t>> results;  // by task: its results, in the order of arrival
    std::vector<std::uint32_t> order;                             // tasks, in the order of their return

    static Bytes task_data(std::uint32_t task) {
        Bytes data(1 + task * 7 % 23);
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(task + i);
        return data;
    }
    static std::uint32_t sum(std::span<const std::byte> data) {
        std::uint32_t result = 0;
        for (const std::byte byte : data) result += std::to_integer<std::uint32_t>(byte);
        return result;
    }
    // Every task came back once, with the right sum.
    bool right(std::uint32_t tasks) const {
        if (results.size() != tasks) return false;
        for (const auto& [task, sums] : results) {
            if (sums.size() != 1 || sums.front() != sum(task_data(task))) return false;
        }
        return true;
    }

    void data_generator(trek_kernel::Master& master) override {
        for (std::uint32_t task = 0; task < master.total_tasks(); ++task) master.do_task(task_data(task), sent_how(task));
    }
    void result_receiver(trek_kernel::Master& master) override {
        for (std::uint32_t got = 0; got < master.total_tasks(); ++got) {
            trek_kernel::TaskIdentity whose;
            const Bytes result = master.get_result(&whose);
            results[whose.task].push_back(number_in(result));
            order.push_back(whose.task);
            if (post_process > SimTime()) master.context(trek_kernel::UserProcess::PostProcess, whose).work(post_process);
        }
    }
    Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override {
        context.work(time_of(context.identity()));
        return with_number(sum(task), longer + context.identity().task % 5);
    }
    std::vector<Bytes> split(trek_kernel::Context& context, std::span<const std::byte> task, std::size_t degree) override {
        context.work(SimTime::us(20));
        std::vector<Bytes> parts(degree);
        for (std::size_t i = 0; i < task.size(); ++i) parts[i % degree].push_back(task[i]);
        return parts;
    }
    Bytes join(trek_kernel::Context& context, const std::vector<Bytes>& parts) override {
        context.work(SimTime::us(20));
        std::uint32_t all = 0;
        for (const Bytes& part : parts) all += number_in(part);
        return with_number(all, longer);
    }

private:
    static std::uint32_t number_in(const Bytes& data) {
        std::uint32_t number = 0;
        std::memcpy(&number, data.data(), sizeof number);
        return number;
    }
    static Bytes with_number(std::uint32_t number, std::size_t more_bytes) {
        Bytes data(sizeof number + more_bytes);
        std::memcpy(data.data(), &number, sizeof number);
        return data;
    }
};

struct SummingFarm : TestMulticomputer {
    SummingFarm(const topologies::MachineDescription& machine, const farm_spec::FarmSpec& config)
        : TestMulticomputer(machine), farm(trek_hosted::farm_setup(box, config, standard_costs(), application, {&truth})) {}
    // False when it stands still before the limit.
    bool run(SimTime limit = SimTime::s(1000)) {
        box.start_at_once();
        trek_hosted::start_farm(box, farm);
        return run_until([this] { return farm.result().finished; }, limit, SimTime::ms(10));
    }

    SummingApplication application;
    ground_truth::Truth truth;
    trek_kernel::Farm farm;
};

// A farm's tree given as {parent, child} pairs.
inline farm_spec::FarmSpec given_tree(std::uint32_t nodes,
                                      const std::vector<std::pair<std::uint16_t, std::uint16_t>>& branches) {
    farm_spec::FarmSpec config{.nodes = nodes, .tree = farm_spec::TreeKind::Given};
    config.parents.resize(nodes);
    for (const auto& [above, below] : branches) config.parents[below] = NodeId(above);
    return config;
}

}  // namespace test_support
