#include "mean_task.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tmon_session {
namespace {

constexpr std::uint32_t most_looked_at = 1'000'000;

MeanTask of_table(const Scenario& scenario) {
    MeanTask mean;
    mean.looked_at = std::clamp<std::uint32_t>(scenario.farm.tasks, 1, most_looked_at);
    std::array<double, 5> sum_us{};
    for (std::uint32_t task = 0; task < mean.looked_at; ++task) {
        const auto& segments = scenario.tasks.of(task).segments;
        for (std::size_t i = 0; i < sum_us.size(); ++i) sum_us[i] += static_cast<double>(segments[i].time_us);
    }
    trek_kernel::TaskDescription task{};
    for (std::size_t i = 0; i < sum_us.size(); ++i)
        task.segments[i].time_us = static_cast<std::uint64_t>(std::llround(sum_us[i] / mean.looked_at));
    mean.table.set(0, task);
    mean.sizes = scenario.sizes;
    // A split of the simulated application does not make its parts shorter.
    mean.compute_s = {static_cast<double>(task.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us) *
                      1e-6};
    return mean;
}

}  // namespace

MeanTask mean_task(const Scenario& scenario) {
    return of_table(scenario);
}

}  // namespace tmon_session
