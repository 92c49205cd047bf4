// SortedRun: `run --sorted`: a JSON line for each record the moment it is reported, while the machine runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include <tmon_order/trace_sorter.hpp>

namespace cli {

// Passes what it gets to two feeds. Either may be null.
class TwoFeeds final : public tmon_streams::TraceFeed {
public:
    TwoFeeds(tmon_streams::TraceFeed* first, tmon_streams::TraceFeed* second) : feeds_{first, second} {}
    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override {
        for (auto* feed : feeds_) {
            if (feed != nullptr) feed->records(node, first_seq, events, came_us);
        }
    }
    void lost(const trace_record::LossRange& range) override {
        for (auto* feed : feeds_) {
            if (feed != nullptr) feed->lost(range);
        }
    }
    void ended(std::uint16_t node, std::uint32_t total_records) override {
        for (auto* feed : feeds_) {
            if (feed != nullptr) feed->ended(node, total_records);
        }
    }
    // Null when there is nothing to pass on.
    tmon_streams::TraceFeed* wanted() { return feeds_[0] != nullptr || feeds_[1] != nullptr ? this : nullptr; }

private:
    tmon_streams::TraceFeed* feeds_[2];
};

class SortedRun final : public tmon_streams::TraceFeed, private tmon_order::SortedItems {
public:
    // place "-": standard output, and the results go to standard error. Otherwise a new file, or one that `force` replaces;
    // throws vocabulary::InputError when it cannot be written.
    SortedRun(const std::string& place, std::uint16_t nodes, bool force);
    ~SortedRun() override;
    SortedRun(const SortedRun&) = delete;
    SortedRun& operator=(const SortedRun&) = delete;

    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                 std::uint64_t came_us) override;
    void lost(const trace_record::LossRange& range) override { sorter_.lost(range); }
    void ended(std::uint16_t node, std::uint32_t total_records) override { sorter_.ended(node, total_records); }
    // After the run: what still waits is released. Throws vocabulary::InputError when the file could not be written.
    void finish();
    // The figures of the sort, two lines.
    std::string text() const;

private:
    void item(const tmon_order::SortedItem& item) override;

    std::string place_;
    std::FILE* file_ = nullptr;
    std::uint64_t now_us_ = 0;  // the host's clock
    int error_ = 0;
    tmon_order::TraceSorter sorter_;
};

}  // namespace cli
