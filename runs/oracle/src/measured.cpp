#include <oracle/measured.hpp>

#include <algorithm>

namespace oracle {
namespace {

bool is_result_at_manager(const trace_record::Event& event) {
    return event.node == 0 && event.is_result != 0 && event.kind == trace_record::EventKind::Receive;
}

// Workers run in step, so results come in bursts, and two single arrivals would say little.
std::optional<double> slope(const std::vector<double>& arrivals, const SteadyWindow& window) {
    const auto [first, last] = window;
    if (last < first + 10) return std::nullopt;
    double n = 0, x = 0, t = 0, xt = 0, tt = 0;
    for (std::size_t i = first; i < last; ++i) {
        const double number = static_cast<double>(i), when = arrivals[i] - arrivals[first];
        n += 1, x += number, t += when, xt += number * when, tt += when * when;
    }
    const double spread = n * tt - t * t;
    return spread > 0 ? std::optional((n * xt - x * t) / spread) : std::nullopt;
}

}  // namespace

// When no more tasks go out, the farm runs empty: piled-up results come faster, or slower, than they could be made.
SteadyWindow steady_window(const std::vector<double>& arrivals, double last_task) {
    const auto part = [&](double share) { return static_cast<std::size_t>(share * static_cast<double>(arrivals.size())); };
    const auto fed = static_cast<std::size_t>(std::upper_bound(arrivals.begin(), arrivals.end(), last_task) - arrivals.begin());
    const std::size_t first = part(0.30);
    return {first, std::max(first, std::min(part(0.85), fed))};
}

Measured measured(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    Measured run;
    std::vector<double> arrivals;
    double last_task = 0;
    std::vector<bool> has_task(result.simulated.nodes.size(), false);
    std::optional<double> began, last_begins;
    if (scenario.monitor && !result.simulated.nodes.empty()) began = result.simulated.nodes.front().ledger.began.in_seconds();
    for (const auto& event : result.truth.events()) {
        const double now = static_cast<double>(event.time_us) * 1e-6;
        if (!began) began = now;
        if (is_result_at_manager(event)) arrivals.push_back(now);
        if (event.node == 0 && event.is_result == 0) last_task = now;
        if (event.is_result != 0 || event.kind != trace_record::EventKind::Receive || has_task[event.node]) continue;
        has_task[event.node] = true;
        last_begins = now;
    }
    const double g = scenario.farm.granularity;
    run.tasks_of_node.assign(result.simulated.farm.distribution.begin(), result.simulated.farm.distribution.end());
    if (result.simulated.farm.finished && !arrivals.empty())
        run.total_s = std::max(arrivals.back(), result.simulated.farm.returned.in_seconds()) - *began;
    if (last_begins) run.start_up_s = *last_begins - *began;
    // Results have piled up at the manager, and the receiver goes on long after the last has come. So it was busy all the time,
    // and the farm is as fast as the receiver.
    constexpr double behind = 0.05;
    const double piled_up = result.simulated.nodes.empty() ? 0 : result.simulated.nodes.front().results.longest;
    if (run.total_s && piled_up > std::max(10.0, behind * result.simulated.tasks.completed) &&
        *began + *run.total_s - arrivals.back() > behind * *run.total_s) {
        run.tasks_per_second = result.simulated.tasks.completed / (*began + *run.total_s - arrivals.front());
        return run;
    }
    if (const auto rate = slope(arrivals, steady_window(arrivals, last_task))) run.tasks_per_second = *rate * g;
    return run;
}

}  // namespace oracle
