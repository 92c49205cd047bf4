// The clocks of a Processor and the timers that go by them.
#include <hw_model/processor.hpp>

#include <algorithm>

#include <hw_model/chronicle.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {

void Processor::set_clock(std::int64_t offset_us, std::int64_t drift_ppm) {
    offset_ps_ = offset_us * 1'000'000;
    drift_ppm_ = drift_ppm;
}

void Processor::set_drift(std::int64_t drift_ppm) {
    const std::int64_t now = timeline_.now().in_ps(), shown = local_ps(now);
    drift_ppm_ = drift_ppm;
    offset_ps_ += shown - local_ps(now);
}

std::uint64_t Processor::clock_us(Priority priority) const {
    return in_ticks(clocks_stopped_ ? stopped_at_ps_ : local_ps(timeline_.now().in_ps()), priority);
}

std::uint64_t Processor::clock_us_at(SimTime moment, Priority priority) const {
    return in_ticks(local_ps(moment.in_ps()), priority);
}

std::uint64_t Processor::in_ticks(std::int64_t local, Priority priority) const {
    const std::int64_t tick = (priority == Priority::High ? timing_.high_tick : timing_.low_tick).in_ps();
    return static_cast<std::uint64_t>(local / tick * tick / 1'000'000);
}

void Processor::start_clocks(std::uint64_t clock_us) {
    clocks_stopped_ = false;
    offset_ps_ += static_cast<std::int64_t>(clock_us) * 1'000'000 - local_ps(timeline_.now().in_ps());
}

// Inverse of clock_us(): the first moment at which the clock shows more than `clock_us`, as tin waits (T800: wakes when AFTER).
SimTime Processor::true_time_of(std::uint64_t clock_us, SimTime tick) const {
    const std::int64_t local = (static_cast<std::int64_t>(clock_us) * 1'000'000 / tick.in_ps() + 1) * tick.in_ps();
    const std::int64_t since_reset = local - offset_ps_, scale = 1'000'000 + drift_ppm_;
    std::int64_t t = since_reset / scale * 1'000'000 + since_reset % scale * 1'000'000 / scale;
    while (local_ps(t) < local)
        t += local - local_ps(t);  // some picoseconds, because the drift comes in whole ones a microsecond
    return std::max(timeline_.now(), SimTime::ps(t));
}

void Processor::fire_timer(std::uint32_t slot) {
    const Timer timer = timers_[slot];
    free_timers_.push_back(slot);
    if (timer.generation != timer.activity->timer_generation_) return;
    const bool ended = timer.activity->state_ == Activity::State::Ended || timer.activity->power_up_ != power_up_;
    if (!ended && !timer.activity->wants_to_wake()) return;
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->timer(*timer.activity);
    make_ready(*timer.activity);
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->no_reason();
}

void Processor::wake_at(SimTime when, Activity& activity) {
    if (life_ != Life::Alive) return;
    std::uint32_t slot = 0;
    if (free_timers_.empty()) {
        slot = static_cast<std::uint32_t>(timers_.size());
        timers_.emplace_back();
    } else {
        slot = free_timers_.back();
        free_timers_.pop_back();
    }
    timers_[slot] = {&activity, ++activity.timer_generation_};
    timeline_.post(std::max(when, timeline_.now()), node_.value(), *this, TimerBase + slot);
}

void Processor::wake_at_clock_us(std::uint64_t clock, Activity& activity) {
    if (clocks_stopped_) {
        cancel_timer(activity);  // that time does not come
        return;
    }
    wake_at(true_time_of(clock, activity.priority_ == Priority::High ? timing_.high_tick : timing_.low_tick), activity);
}

}  // namespace hw_model
