// A custom analysis: how long each node had the tasks that it received, from its stored records. It needs only the trace,
// neither machine nor farm, and says for each node what is missing.
//
//   own_analysis out/data.mwt
#include <cstdio>
#include <exception>
#include <map>
#include <utility>

#include <tmon_streams/trace_store.hpp>

namespace {

struct Stays {
    std::uint64_t tasks = 0, total_us = 0, unfinished = 0;
};

// From the receive of a task to the send of its result, both by the clock of the node.
Stays stays_of(const tmon_streams::Stream& stream) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> came;
    Stays stays;
    for (const auto& part : stream.parts) {
        for (const trace_record::Event& event : part) {
            const auto task = std::make_pair(event.task, event.subtask);
            if (event.kind == trace_record::EventKind::Receive && event.is_result == 0) came[task] = event.time_us;
            if (event.kind != trace_record::EventKind::Send || event.is_result == 0 || came.count(task) == 0) continue;
            stays.total_us += event.time_us - came[task];
            ++stays.tasks;
            came.erase(task);
        }
    }
    stays.unfinished = came.size();
    return stays;
}

}  // namespace

int main(int count, char** arguments) try {
    if (count != 2) return std::fprintf(stderr, "usage: own_analysis TRACE.mwt\n"), 2;
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(arguments[1]);
    std::printf("%-5s %7s %12s %12s  %s\n", "node", "tasks", "mean us", "without end", "records");
    for (const tmon_streams::Stream& stream : stored.trace.streams) {
        const Stays stays = stays_of(stream);
        std::printf("n%-4u %7llu %12.1f %12llu  %s\n", unsigned{stream.node}, static_cast<unsigned long long>(stays.tasks),
                    stays.tasks > 0 ? static_cast<double>(stays.total_us) / static_cast<double>(stays.tasks) : 0.0,
                    static_cast<unsigned long long>(stays.unfinished), stream.whole() ? "all" : "some are missing");
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "own_analysis: %s\n", error.what());
    return 3;
}
