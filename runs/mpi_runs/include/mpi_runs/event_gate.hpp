// EventGate: repeats a recorded run packet by packet up to a breakpoint of each rank, and compares each event with the record.
// Whatever the machine does, a rank takes the packets in the recorded order, finds nothing where it found nothing, and reads
// the recorded clock. It can keep images and logged packets on its way, or begin from them (sections 4 and 8 of the paper,
// tmon_recovery/event_graph.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi_runs/event_watch.hpp>
#include <mpi_runs/rank_image.hpp>
#include <tmon_recovery/breakpoints.hpp>
#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/logging.hpp>
#include <tmon_recovery/message_log.hpp>
#include <tmon_recovery/run_record.hpp>

namespace mpi_runs {

// Kept while a run is repeated: phase 3 of the paper.
struct Keeping {
    // For each rank the events behind which there is a checkpoint, ascending and above 0.
    std::vector<std::vector<tmon_recovery::EventNo>> images{};
    tmon_recovery::Log log{};
    std::function<void(RankImage& image)> image{};
    std::function<void(std::size_t rank, tmon_recovery::EventNo after, const std::string& why)> no_image{};
    std::function<void(tmon_recovery::MessageNo message, std::span<const std::byte> words, std::span<const std::byte> body)>
        message{};
};

// The line from which a replay begins: phase 4.
struct ReplayStart {
    std::vector<tmon_recovery::EventNo> after{};  // of each rank; 0: the begin of the run
    tmon_recovery::Log log{};
    const tmon_recovery::MessageLog& messages;
    std::function<RankImage(std::size_t rank)> image{};  // of one that does not begin with the run
    std::vector<bool> runs{};                            // of each rank; one that does not run stops when it begins
    // Checkpoints between line and breakpoints, as Keeping::images. `compare` says where the memory of the rank is not what it
    // was there, or nothing; without a value it is not known.
    std::vector<std::vector<tmon_recovery::EventNo>> compared{};
    std::function<std::optional<std::string>(std::size_t rank, tmon_recovery::EventNo after,
                                             const user_programs::ProcessImage& now)>
        compare{};
};

class EventGate final : public EventWatch {
public:
    // All of them outlive it. `record` has given its messages to `graph`. `set` has no conflict.
    EventGate(const tmon_recovery::EventGraph& graph, const tmon_recovery::RunRecord& record,
              const tmon_recovery::BreakpointSet& set);
    // Before the run, and one of them at most. Both outlive it.
    void keeps(const Keeping& keeping) { keeping_ = &keeping; }
    void begins_at(const ReplayStart& start);

    std::int32_t starts(std::size_t rank, std::uint64_t clock_us) override;
    std::int32_t sends(std::size_t rank, const Packet& packet, std::uint64_t clock_us) override;
    std::int32_t takes(std::size_t rank, bool waits, std::uint64_t clock_us) override;
    std::int32_t taken(std::size_t rank, const Packet& packet, std::uint64_t clock_us) override;
    void ends(std::size_t, std::uint64_t) override {}
    double reads_clock(std::size_t rank, double seconds) override;
    void pulse(std::span<const std::uint64_t>) override {}
    void keep(std::size_t rank, std::uint64_t clock_us, user_programs::ProcessImage&& image) override;
    void has_no_image(std::size_t rank, const std::string& why) override;
    std::span<const std::byte> fed(std::size_t rank) override;
    std::shared_ptr<const user_programs::ProcessImage> begins_from(std::size_t rank) override;
    bool done() const override { return divergence_ || reached_ == ranks_.size(); }

    // Both sides of the first event that is another one, or came too much. Empty: none so far.
    const std::optional<std::string>& divergence() const { return divergence_; }
    std::size_t reached() const { return reached_; }  // ranks that stand at their breakpoint
    struct Stop {
        tmon_recovery::EventNo event = 0;
        std::uint64_t hash = 0;     // of the repeated events and their contents
        std::uint64_t took_us = 0;  // since the begin of the rank, or since it goes on from its image
        bool reached = false;
    };
    Stop stop(std::size_t rank) const;
    std::size_t fed_packets() const { return fed_; }
    std::size_t swallowed_packets() const { return swallowed_; }
    // Checkpoints on the way at which the memory of a rank was compared with that of its image, and those where it differed.
    std::size_t compared_memories() const { return compared_; }
    struct Difference {
        std::size_t rank = 0;
        tmon_recovery::EventNo after = 0;
        std::string where{};
    };
    const std::vector<Difference>& memory_differences() const { return differences_; }
    // The hash of the same events in the record, up to the breakpoint.
    std::uint64_t recorded_hash(std::size_t rank) const;

private:
    struct Rank {
        tmon_recovery::EventNo event = 0, next_take = 1;
        std::uint32_t looks = 0;
        std::size_t next_failed = 0, next_clock = 0, next_image = 0;
        tmon_recovery::EventNo from = 0;  // it begins behind this event
        std::uint64_t begin_us = 0, last_us = 0, hash = 0;
        bool reached = false, is_there = false, goes_on = false;
        std::vector<tmon_recovery::FailedLooks> failed{};
        std::vector<double> clocks{};
    };
    std::int32_t compare(std::size_t rank, bool receive, const Packet& packet, std::uint64_t clock_us);
    std::int32_t arrive(Rank& its);
    bool wants_image(std::size_t rank) const;
    bool comes_from_log(tmon_recovery::MessageNo message) const;
    bool is_swallowed(tmon_recovery::MessageNo message) const;
    bool runs(std::size_t rank) const { return start_ == nullptr || start_->runs[rank]; }
    std::int32_t diverge(std::size_t rank, const std::string& came);
    std::string recorded_text(std::size_t rank, tmon_recovery::EventNo event) const;

    const tmon_recovery::EventGraph& graph_;
    const tmon_recovery::RunRecord& record_;
    const tmon_recovery::BreakpointSet& set_;
    std::vector<Rank> ranks_;
    const Keeping* keeping_ = nullptr;
    const ReplayStart* start_ = nullptr;
    std::size_t there_ = 0, reached_ = 0, fed_ = 0, swallowed_ = 0, compared_ = 0;
    std::vector<Difference> differences_{};
    std::optional<std::string> divergence_{};
};

}  // namespace mpi_runs
