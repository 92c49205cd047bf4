// EventGate: repeats a recorded run packet by packet up to a breakpoint of each rank, and compares each event with the record.
// Whatever the machine does, a rank takes the packets in the recorded order, finds nothing where it found nothing, and reads
// the recorded clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mpi_runs/event_watch.hpp>
#include <tmon_recovery/breakpoints.hpp>
#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/run_record.hpp>

namespace mpi_runs {

class EventGate final : public EventWatch {
public:
    // All of them outlive it. `record` has given its messages to `graph`. `set` has no conflict.
    EventGate(const tmon_recovery::EventGraph& graph, const tmon_recovery::RunRecord& record,
              const tmon_recovery::BreakpointSet& set);

    std::int32_t starts(std::size_t rank, std::uint64_t clock_us) override;
    std::int32_t sends(std::size_t rank, const Packet& packet, std::uint64_t clock_us) override;
    std::int32_t takes(std::size_t rank, bool waits, std::uint64_t clock_us) override;
    std::int32_t taken(std::size_t rank, const Packet& packet, std::uint64_t clock_us) override;
    void ends(std::size_t, std::uint64_t) override {}
    double reads_clock(std::size_t rank, double seconds) override;
    void pulse(std::span<const std::uint64_t>) override {}
    bool done() const override { return divergence_ || reached_ == ranks_.size(); }

    // Both sides of the first event that is another one, or came too much. Empty: none so far.
    const std::optional<std::string>& divergence() const { return divergence_; }
    std::size_t reached() const { return reached_; }  // ranks that stand at their breakpoint
    struct Stop {
        tmon_recovery::EventNo event = 0;
        std::uint64_t hash = 0;     // of all events and their contents
        std::uint64_t took_us = 0;  // since the begin of the rank
        bool reached = false;
    };
    Stop stop(std::size_t rank) const;
    // The hash of the record up to the breakpoint.
    std::uint64_t recorded_hash(std::size_t rank) const;

private:
    struct Rank {
        tmon_recovery::EventNo event = 0, next_take = 1;
        std::uint32_t looks = 0;
        std::size_t next_failed = 0, next_clock = 0;
        std::uint64_t begin_us = 0, last_us = 0, hash = 0;
        bool reached = false;
        std::vector<tmon_recovery::FailedLooks> failed{};
        std::vector<double> clocks{};
    };
    std::int32_t compare(std::size_t rank, bool receive, const Packet& packet, std::uint64_t clock_us);
    std::int32_t arrive(Rank& its);
    std::int32_t diverge(std::size_t rank, const std::string& came);
    std::string recorded_text(std::size_t rank, tmon_recovery::EventNo event) const;

    const tmon_recovery::EventGraph& graph_;
    const tmon_recovery::RunRecord& record_;
    const tmon_recovery::BreakpointSet& set_;
    std::vector<Rank> ranks_;
    std::size_t reached_ = 0;
    std::optional<std::string> divergence_{};
};

}  // namespace mpi_runs
