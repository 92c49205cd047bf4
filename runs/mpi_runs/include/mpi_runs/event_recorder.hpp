// EventRecorder: writes events.mwr while an MPI program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <mpi_runs/event_watch.hpp>
#include <tmon_recovery/run_record.hpp>

namespace mpi_runs {

class EventRecorder final : public EventWatch {
public:
    // Throws as tmon_recovery::RecordWriter does.
    EventRecorder(const std::string& path, const std::string& manifest, std::size_t ranks);

    std::int32_t starts(std::size_t rank, std::uint64_t clock_us) override;
    std::int32_t sends(std::size_t rank, const Packet& packet, std::uint64_t clock_us) override;
    std::int32_t takes(std::size_t rank, bool waits, std::uint64_t clock_us) override;
    std::int32_t taken(std::size_t rank, const Packet& packet, std::uint64_t clock_us) override;
    void ends(std::size_t rank, std::uint64_t clock_us) override;
    double reads_clock(std::size_t rank, double seconds) override;
    void pulse(std::span<const std::uint64_t> clocks_us) override;

    // The run is over. `end`: JSON for the file.
    void finish(const std::string& end);
    std::size_t messages() const { return messages_; }  // first packets of the program

private:
    struct Rank {
        bool started = false;
        std::uint64_t begin_us = 0, last_us = 0, ready_us = 0;
        tmon_recovery::EventNo events = 0;
        std::uint32_t looks = 0;
        std::uint64_t first_pulse_us = 0, last_pulse_us = 0;
    };
    struct Sent {
        tmon_recovery::Message message{};
        std::uint32_t check = 0;
    };
    tmon_recovery::ProcessSpan span(const Rank& its) const;

    tmon_recovery::RecordWriter writer_;
    std::vector<Rank> ranks_;
    std::map<std::pair<std::size_t, std::size_t>, std::deque<Sent>> under_way_{};  // packets of a pair come in order
    std::size_t pulses_ = 0, messages_ = 0;
};

}  // namespace mpi_runs
