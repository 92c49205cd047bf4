#include <instrumentation/interrupt_counter.hpp>

namespace instrumentation {

std::optional<std::uint32_t> InterruptCounter::take(std::uint64_t clock_us) {
    const auto now = static_cast<std::int64_t>(clock_us), period = static_cast<std::int64_t>(period_us_);
    if (!begun_) {
        begun_ = true;
        raised_us_ = now;
        return number_ = 0;
    }
    const std::int64_t passed = now - raised_us_;
    if (passed > static_cast<std::int64_t>(most_silence) * period) lost_ = true;
    if (lost_) return std::nullopt;
    const std::int64_t slack = few_us + passed / 1000;
    const std::int64_t steps = (passed + slack) / period;
    if (steps < 1) return take_another(now);
    const std::int64_t late = passed - steps * period;
    number_ += static_cast<std::uint32_t>(steps);
    raised_us_ += steps * period;
    in_time_ = late <= slack;
    if (in_time_) raised_us_ = now;
    if (4 * late <= 3 * period) {
        alike_ = 0;
        if (2 * late > period) return std::nullopt;
        return number_;
    }
    return take_late_or_early(now, late, slack);
}

// Each event is at least one interrupt. If the last one was taken in time, this must be the next; it seems early because the
// last was late after all. If the last one was taken late, it already has the number of this one.
std::optional<std::uint32_t> InterruptCounter::take_another(std::int64_t now) {
    if (!in_time_) return std::nullopt;
    raised_us_ = now;
    return ++number_;
}

// Either more than three quarters of a period late, or the next interrupt. If it is the next, all before were late, and all
// later ones come at this time.
std::optional<std::uint32_t> InterruptCounter::take_late_or_early(std::int64_t now, std::int64_t late, std::int64_t slack) {
    const std::int64_t more = late - late_us_;
    alike_ = more <= slack && -more <= slack ? alike_ + 1 : 1;
    late_us_ = late;
    if (alike_ < sure_after) return std::nullopt;
    alike_ = 0;
    in_time_ = true;
    raised_us_ = now;
    return ++number_;
}

}  // namespace instrumentation
