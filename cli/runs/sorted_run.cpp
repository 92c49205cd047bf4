#include "runs/sorted_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_sorted/sorted_lines.hpp>
#include <tmon_sorted/stream_report.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"

namespace cli {

SortedRun::SortedRun(const std::string& place, std::uint16_t nodes, bool force, tmon_order::Patience patience,
                     tmon_streams::TraceFeed* next)
    : place_(place),
      next_(next),
      tells_states_(patience.suspect_after_us > 0 || !patience.crashes.empty()),
      told_(nodes, tmon_order::StreamState::Active),
      sorter_(nodes, *this, {.rules = {}, .patience = std::move(patience)}) {
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
    tell_states();
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
    tell_states();
}

void SortedRun::heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) {
    if (next_ != nullptr) next_->heartbeat(node, before_us, came_us);
    now_us_ = came_us;
    sorter_.heartbeat(node, before_us, came_us);
    tell_states();
}

void SortedRun::moment(std::uint64_t came_us) {
    if (next_ != nullptr) next_->moment(came_us);
    now_us_ = came_us;
    sorter_.moment(came_us);
}

// Called in a process of the model, through which no exception may pass.
void SortedRun::item(const tmon_order::SortedItem& item) {
    late_ += item.event != nullptr && item.order.late ? 1 : 0;
    put_line(tmon_sorted::json_line(item, now_us_));
}

void SortedRun::put_line(const std::string& line) {
    if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() && error_ == 0) error_ = errno;
}

void SortedRun::tell_states() {
    if (!tells_states_) return;
    for (std::uint16_t node = 0; node < told_.size(); ++node) {
        const tmon_order::StreamState now = sorter_.streams().state(node);
        if (std::exchange(told_[node], now) == now) continue;
        put_line(fmt::format("{{\"what\":\"stream\",\"node\":{},\"standing\":\"{}\",\"reported_us\":{}}}\n", node,
                             tmon_order::state_name(now), now_us_));
    }
}

void SortedRun::finish(std::uint64_t ended_us) {
    now_us_ = std::max(now_us_, ended_us);
    sorter_.moment(now_us_);
    tell_states();
    standings_ = tmon_sorted::standings_of(sorter_.streams());
    sorter_.finish();
    standings_ = tmon_sorted::with_words(std::move(standings_), sorter_.streams());
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
               counts.records, counts.joined, counts.assumed, late_, place_ == "-" ? "standard output" : place_,
               static_cast<double>(counts.window_sum) / steps, counts.most_window,
               static_cast<double>(counts.unreported_sum) / steps, counts.most_unreported) +
           "  streams      " + tmon_sorted::streams_text(standings_, 15);
}

}  // namespace cli
