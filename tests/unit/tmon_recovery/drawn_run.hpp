// Runs as the figures of the paper draw them: messages with their times, checkpoints with theirs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/intervals.hpp>

namespace testing_support {

class DrawnRun {
public:
    explicit DrawnRun(std::vector<std::vector<std::int64_t>> checkpoints) : checkpoints_(std::move(checkpoints)) {}
    // In microseconds. `waited`: how long the receiver had waited.
    tmon_recovery::MessageNo message(std::uint32_t from, std::uint32_t to, std::int64_t sent_us, std::int64_t received_us,
                                     std::int64_t waited_us = 1) {
        drawn_.push_back({from, to, sent_us, received_us, waited_us});
        return static_cast<tmon_recovery::MessageNo>(drawn_.size() - 1);
    }
    // Numbers the events of each process. All end at `end_us`.
    tmon_recovery::EventGraph graph(std::int64_t end_us) const;
    tmon_recovery::CheckpointPlan plan() const;
    // Events of the process up to this time.
    static tmon_recovery::EventNo at(const tmon_recovery::EventGraph& graph, std::uint32_t process, std::int64_t us);

private:
    struct Drawn {
        std::uint32_t from, to;
        std::int64_t sent_us, received_us, waited_us;
    };
    std::vector<std::vector<std::int64_t>> checkpoints_;  // but for the first, in microseconds
    std::vector<Drawn> drawn_{};
};

}  // namespace testing_support
