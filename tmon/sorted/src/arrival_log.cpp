#include <tmon_sorted/arrival_log.hpp>

namespace tmon_sorted {

using trace_record::Event;

namespace {

constexpr std::ptrdiff_t block_records = 8192;  // in a block of the store

}  // namespace

void ArrivalLog::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) {
    if (next_ != nullptr) next_->records(node, first_seq, events, came_us);
    if (events.empty()) return;
    const std::byte* const place = store_.add(0, events.data(), events.size_bytes());
    arrivals_.push_back({What::Records, node, first_seq, came_us, events.size(), reinterpret_cast<const Event*>(place)});
    now_us_ = came_us;
}

void ArrivalLog::moment(std::uint64_t came_us) {
    if (next_ != nullptr) next_->moment(came_us);
    now_us_ = came_us;
}

void ArrivalLog::lost(const trace_record::LossRange& range) {
    if (next_ != nullptr) next_->lost(range);
    arrivals_.push_back({What::Lost, range.node, static_cast<std::uint32_t>(losses_.size()), now_us_, 0, nullptr});
    losses_.push_back(range);
}

void ArrivalLog::ended(std::uint16_t node, std::uint32_t total_records) {
    if (next_ != nullptr) next_->ended(node, total_records);
    arrivals_.push_back({What::Ended, node, total_records, now_us_, 0, nullptr});
}

void ArrivalLog::heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) {
    if (next_ != nullptr) next_->heartbeat(node, before_us, came_us);
    arrivals_.push_back({What::Heartbeat, node, 0, came_us, before_us, nullptr});
    now_us_ = came_us;
}

void ArrivalLog::play(tmon_streams::TraceFeed& to) const {
    const Event* here = nullptr;
    for (const Arrival& one : arrivals_) {
        switch (one.what) {
            case What::Records:
                if (here == nullptr || one.events < here || one.events - here > block_records) {
                    if (here != nullptr) store_.leave(here);
                    here = one.events;
                }
                to.records(one.node, one.number, {one.events, one.value}, one.came_us);
                break;
            case What::Heartbeat:
                to.heartbeat(one.node, one.value, one.came_us);
                break;
            case What::Lost:
                to.moment(one.came_us);
                to.lost(losses_[one.number]);
                break;
            case What::Ended:
                to.moment(one.came_us);
                to.ended(one.node, one.number);
                break;
        }
    }
    to.moment(now_us_);
}

void OnClock::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) {
    block_.assign(events.begin(), events.end());
    for (Event& event : block_) event.time_us = clock_(node, event.time_us);
    to_.records(node, first_seq, block_, came_us);
}

}  // namespace tmon_sorted
