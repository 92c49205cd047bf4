// A custom unload policy: a node's trace leaves it once in a given time, whatever its buffers hold. Otherwise it leaves only
// when they are nearly full.
//
//   own_unload_policy SCENARIO.yaml MILLISECONDS
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <instrumentation/unload_policy.hpp>
#include <session/session.hpp>

namespace {

class EverySoOften final : public instrumentation::UnloadPolicy {
public:
    explicit EverySoOften(std::uint64_t period_us) : period_us_(period_us) {}

    bool unload(const instrumentation::BufferState& state) override {
        if (state.clock_us < next_us_ && state.records <= limit(state.clock_us, state.room)) return false;
        next_us_ = state.clock_us + period_us_;
        return true;
    }
    std::size_t limit(std::uint64_t, std::size_t room) const override { return room * 3 / 4; }

private:
    std::uint64_t period_us_, next_us_ = 0;
};

}  // namespace

int main(int count, char** arguments) try {
    if (count != 3) return std::fprintf(stderr, "usage: own_unload_policy SCENARIO.yaml MILLISECONDS\n"), 2;
    const std::uint64_t period_us = std::strtoull(arguments[2], nullptr, 10) * 1000;
    scenario::Scenario scenario = scenario::read_scenario(arguments[1], {}, {});
    if (!scenario.monitor) scenario.monitor.emplace();
    scenario.monitor->unload_policy = [period_us](vocabulary::NodeId) { return std::make_unique<EverySoOften>(period_us); };

    session::Observed observed;
    session::Simulated simulated;
    session::run_session(scenario, observed, simulated);
    std::uint64_t messages = 0, records = 0;
    for (const session::NodeLine& node : simulated.nodes) messages += node.ledger.trace_messages;
    for (const tmon_streams::NodeStatistics& node : observed.statistics) records += node.events;
    std::printf("%s: %llu of %u results, %llu records in %llu messages\n", scenario.name.c_str(),
                static_cast<unsigned long long>(simulated.counts.results), scenario.farm.tasks,
                static_cast<unsigned long long>(records), static_cast<unsigned long long>(messages));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "own_unload_policy: %s\n", error.what());
    return 3;
}
