// SortedRun: `run --sorted`: a JSON line for each record the moment it is reported, while the machine runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <tmon_order/trace_sorter.hpp>

namespace cli {

class SortedRun final : public tmon_streams::TraceFeed, private tmon_order::SortedItems {
public:
    // place "-": standard output, and the results go to standard error. Otherwise a new file, or one that `force` replaces;
    // throws vocabulary::InputError or HostError when it cannot be written. `next` gets all that this gets; it may be null.
    SortedRun(const std::string& place, std::uint16_t nodes, bool force, tmon_order::Patience patience,
              tmon_streams::TraceFeed* next);
    ~SortedRun() override;
    SortedRun(const SortedRun&) = delete;
    SortedRun& operator=(const SortedRun&) = delete;

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override;
    void ended(std::uint16_t node, std::uint32_t total_records) override;
    void heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) override;
    void moment(std::uint64_t came_us) override;
    // After the run, by the host's clock: what still waits is released. Throws as the constructor when the file could not be
    // written.
    void finish(std::uint64_t ended_us);
    // The figures of the sort and the states of the streams, some lines.
    std::string text() const;

private:
    void item(const tmon_order::SortedItem& item) override;
    void put_line(const std::string& line);
    // A line for each stream whose state has changed. Only for a user who said something about streams.
    void tell_states();

    std::string place_;
    tmon_streams::TraceFeed* next_;
    std::FILE* file_ = nullptr;
    std::uint64_t now_us_ = 0;  // the host's clock
    std::uint64_t late_ = 0;
    int error_ = 0;
    const bool tells_states_;
    std::vector<tmon_order::StreamState> told_;  // by node
    tmon_order::TraceSorter sorter_;
    std::vector<tmon_order::StreamStanding> standings_;  // when the run ended
};

}  // namespace cli
