// A custom buffer policy. When the buffers are full, it gives up the oldest record of a task, which somebody down the tree
// still has. Results are given up last. Every record given up counts as lost, whatever the policy chooses.
//
//   own_buffer_policy SCENARIO.yaml
#include <algorithm>
#include <cstdio>
#include <exception>

#include <instrumentation/buffer_policy.hpp>
#include <session/session.hpp>

namespace {

class ResultsMatterMost final : public instrumentation::BufferPolicy {
public:
    Choice when_full(const trace_record::Event& event, const boost::circular_buffer<trace_record::Event>& buffered) override {
        const auto task = std::find_if(buffered.begin(), buffered.end(), [](const auto& old) { return old.is_result == 0; });
        if (event.is_result == 0 || task == buffered.end()) return {.what = Choice::What::LoseNew};
        return {.what = Choice::What::LoseBuffered, .index = static_cast<std::size_t>(task - buffered.begin())};
    }
};

// Tasks and results among the records that came.
std::pair<std::size_t, std::size_t> count(const tmon_streams::Trace& trace) {
    std::size_t tasks = 0, results = 0;
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (const auto& part : stream.parts) {
            for (const trace_record::Event& event : part) ++(event.is_result != 0 ? results : tasks);
        }
    }
    return {tasks, results};
}

}  // namespace

int main(int count_of, char** arguments) try {
    if (count_of != 2) return std::fprintf(stderr, "usage: own_buffer_policy SCENARIO.yaml\n"), 2;
    // Small buffers that leave the nodes only at the end.
    scenario::Scenario scenario =
        scenario::read_scenario(arguments[1], {{"monitor.unload", "1000s/1000/1000"}, {"monitor.buffer", "16"}}, {});
    scenario.monitor->buffer_policy = [](vocabulary::NodeId) { return std::make_unique<ResultsMatterMost>(); };

    session::Observed observed;
    session::Simulated simulated;
    session::run_session(scenario, observed, simulated);
    const auto [tasks, results] = count(*observed.trace);
    std::uint64_t lost = 0;
    for (const session::NodeLine& node : simulated.nodes) lost += node.ledger.dropped;
    std::printf("%s: kept %zu records of tasks and %zu of results, %llu lost\n", scenario.name.c_str(), tasks, results,
                static_cast<unsigned long long>(lost));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "own_buffer_policy: %s\n", error.what());
    return 3;
}
