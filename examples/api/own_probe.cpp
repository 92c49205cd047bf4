// A custom probe: it records each call of a compute function that took longer than it should. The record is an event of the
// user's kind, with the task and how long it took. It is stored, charged, unloaded and lost like any other.
//
//   own_probe SCENARIO.yaml MICROSECONDS
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <instrumentation/probe.hpp>
#include <session/session.hpp>

namespace {

class SlowWork final : public instrumentation::Probe {
public:
    explicit SlowWork(std::uint64_t most_us) : most_us_(most_us) {}

    void on_step(const trek_kernel::TaskStep& step, trollius_os::Api& api) override {
        if (step.process != trek_kernel::UserProcess::Compute) return;
        const std::uint64_t now = api.port().clock_us(trollius_os::Priority::High);
        if (step.moment == trek_kernel::Moment::Begin) {
            began_us_ = now;
        } else if (const std::uint64_t took = now - began_us_; took > most_us_) {
            record({.task = step.task, .subtask = static_cast<std::uint32_t>(took), .kind = trace_record::EventKind::User},
                   api);
        }
    }

private:
    std::uint64_t most_us_, began_us_ = 0;
};

}  // namespace

int main(int count, char** arguments) try {
    if (count != 3) return std::fprintf(stderr, "usage: own_probe SCENARIO.yaml MICROSECONDS\n"), 2;
    const std::uint64_t most_us = std::strtoull(arguments[2], nullptr, 10);
    scenario::Scenario scenario = scenario::read_scenario(arguments[1], {}, {});
    if (!scenario.monitor) scenario.monitor.emplace();
    scenario.monitor->classes.add(trace_record::EventClass::User);
    scenario.monitor->probe = [most_us](vocabulary::NodeId) { return std::make_unique<SlowWork>(most_us); };

    session::Observed observed;
    session::Simulated simulated;
    session::run_session(scenario, observed, simulated);
    std::size_t slow = 0;
    for (const tmon_streams::Stream& stream : observed.trace->streams) {
        for (const auto& part : stream.parts) {
            for (const trace_record::Event& event : part) {
                if (event.kind != trace_record::EventKind::User) continue;
                std::printf("n%u: task %u took %u us\n", unsigned{event.node}, event.task, event.subtask);
                ++slow;
            }
        }
    }
    std::printf("%s: %zu pieces of work took longer than %s us\n", scenario.name.c_str(), slow, arguments[2]);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "own_probe: %s\n", error.what());
    return 3;
}
