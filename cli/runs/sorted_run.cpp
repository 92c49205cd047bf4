#include "runs/sorted_run.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_sorted/sorted_lines.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"

namespace cli {

SortedRun::SortedRun(const std::string& place, std::uint16_t nodes, bool force, tmon_streams::TraceFeed* next)
    : place_(place), next_(next), sorter_(nodes, *this, {}) {
    if (place == "-") {
        file_ = stdout;
        results_to_standard_error();
        return;
    }
    text::check_output_file(place, force ? text::Replace::Yes : text::Replace::No);
    file_ = std::fopen(place.c_str(), "w");
    if (file_ == nullptr)
        vocabulary::throw_file_error(place, errno,
                                     fmt::format("cannot be written: {}; choose another place", std::strerror(errno)));
}

SortedRun::~SortedRun() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void SortedRun::records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                        std::uint64_t came_us) {
    if (next_ != nullptr) next_->records(node, first_seq, events, came_us);
    now_us_ = came_us;
    sorter_.records(node, first_seq, events, came_us);
    // Each block is a moment at which somebody may look.
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
}

void SortedRun::lost(const trace_record::LossRange& range) {
    if (next_ != nullptr) next_->lost(range);
    sorter_.lost(range);
}

void SortedRun::ended(std::uint16_t node, std::uint32_t total_records) {
    if (next_ != nullptr) next_->ended(node, total_records);
    sorter_.ended(node, total_records);
}

// Called in a process of the model, through which no exception may pass.
void SortedRun::item(const tmon_order::SortedItem& item) {
    const std::string line = tmon_sorted::json_line(item, now_us_);
    if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() && error_ == 0) error_ = errno;
}

void SortedRun::finish() {
    sorter_.finish();
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0)
        vocabulary::throw_file_error(
            place_, error_,
            fmt::format("cannot be written: {}; free some room, or choose another place", std::strerror(error_)));
}

std::string SortedRun::text() const {
    const tmon_order::SorterCounts& counts = sorter_.counts();
    const double steps = counts.steps > 0 ? static_cast<double>(counts.steps) : 1;
    return fmt::format(
        "  sorted       {} records, {} messages joined; {} reported without a cause, {} late; to {}\n"
        "               window mean {:.1f}, most {}; not yet reported mean {:.1f}, most {}\n",
        counts.records, counts.joined, counts.assumed, counts.late, place_ == "-" ? "standard output" : place_,
        static_cast<double>(counts.window_sum) / steps, counts.most_window, static_cast<double>(counts.unreported_sum) / steps,
        counts.most_unreported);
}

}  // namespace cli
