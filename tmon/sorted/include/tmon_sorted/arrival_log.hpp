// ArrivalLog: what the host received, in its order and with the host's clock, to be gone through again. OnClock: the same with
// other times in the records.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <scratch/record_store.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace tmon_sorted {

class ArrivalLog final : public tmon_streams::TraceFeed {
public:
    // `next` gets all that this gets; it may be null.
    explicit ArrivalLog(tmon_streams::TraceFeed* next = nullptr) : next_(next) {}
    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    void heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) override;
    void moment(std::uint64_t came_us) override;

    // Ends with the last moment.
    void play(tmon_streams::TraceFeed& to) const;

private:
    enum class What : std::uint8_t { Records, Lost, Ended, Heartbeat };
    struct Arrival {
        What what;
        std::uint16_t node;
        std::uint32_t number;  // Records: first; Lost: index in losses_; Ended: total
        std::uint64_t came_us;
        std::uint64_t value;  // Records: count; Heartbeat: before_us
        const trace_record::Event* events;
    };
    tmon_streams::TraceFeed* next_;
    std::vector<Arrival> arrivals_;  // 40 bytes each
    std::vector<trace_record::LossRange> losses_;
    scratch::RecordStore store_;  // beyond some megabytes a temporary file
    std::uint64_t now_us_ = 0;
};

// Passes all on to `to`, with record times and those of heartbeats by another clock. `clock`: that time, of a node and a time
// of its own; it must not fall where the node's time rises.
class OnClock final : public tmon_streams::TraceFeed {
public:
    using Clock = std::function<std::uint64_t(std::uint16_t node, std::uint64_t time_us)>;

    OnClock(tmon_streams::TraceFeed& to, Clock clock) : to_(to), clock_(std::move(clock)) {}
    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override { to_.lost(range); }
    void ended(std::uint16_t node, std::uint32_t total_records) override { to_.ended(node, total_records); }
    void heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) override {
        to_.heartbeat(node, clock_(node, before_us), came_us);
    }
    void moment(std::uint64_t came_us) override { to_.moment(came_us); }

private:
    tmon_streams::TraceFeed& to_;
    Clock clock_;
    std::vector<trace_record::Event> block_;
};

}  // namespace tmon_sorted
