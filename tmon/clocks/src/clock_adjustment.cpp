#include <tmon_clocks/clock_adjustment.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

namespace tmon_clocks {
namespace {

constexpr double tolerance_us = 2;      // two clocks, a tick of 1 us each
constexpr std::size_t looked_at = 8;    // readings on both sides of a possible step; one of so many is in time
constexpr std::size_t slope_over = 64;  // ties at an end that show how the clock goes on there

// The fastest parting of two clocks that is believed of a node's readings. Quartz crystals of the time were off by 20 to 50 ppm
// each, so this is twenty times what two of them can do.
constexpr double most_drift = 1000e-6;

struct Reading {
    std::uint32_t seq = 0;
    std::int64_t number = 0;
    double local_us = 0;
};

std::vector<Reading> readings_of(const tmon_streams::Stream& stream) {
    std::vector<Reading> readings;
    for (const auto part : stream.in_passing()) {
        for (const Event& event : part) {
            if (event.kind != EventKind::Synchronise) continue;
            const Reading reading{event.seq, event.task, static_cast<double>(event.time_us)};
            // Numbers and times rise; a record that breaks this is damaged.
            if (!readings.empty() && (reading.number <= readings.back().number || reading.local_us <= readings.back().local_us))
                continue;
            readings.push_back(reading);
        }
    }
    return readings;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Time of each interrupt on the reference's clock. Interrupts that the reference has no record of lie evenly between their
// neighbours, and go on by the mean period at the ends.
class CommonClock {
public:
    explicit CommonClock(const std::vector<Reading>& readings) : readings_(readings) {
        if (readings.size() < 2) return;
        const auto numbers = static_cast<double>(readings.back().number - readings.front().number);
        period_us_ = (readings.back().local_us - readings.front().local_us) / numbers;
    }
    double period_us() const { return period_us_; }
    // Empty when there is only one record, and it is of another interrupt.
    std::optional<double> at(std::int64_t number) const {
        const auto above = std::lower_bound(readings_.begin(), readings_.end(), number,
                                            [](const Reading& reading, std::int64_t n) { return reading.number < n; });
        if (above != readings_.end() && above->number == number) return above->local_us;
        if (period_us_ == 0) return std::nullopt;
        if (above == readings_.begin()) return on_from(readings_.front(), number, period_us_);
        const Reading& below = *(above - 1);
        if (above == readings_.end()) return on_from(below, number, period_us_);
        return on_from(below, number, (above->local_us - below.local_us) / static_cast<double>(above->number - below.number));
    }

private:
    static double on_from(const Reading& reading, std::int64_t number, double period) {
        return reading.local_us + static_cast<double>(number - reading.number) * period;
    }
    const std::vector<Reading>& readings_;
    double period_us_ = 0;
};

// A node that misses interrupts counts on without them: from then on its clock seems to be ahead by whole periods. A node that
// takes a late interrupt for the next counts too many, and seems to be behind. That is the same, seen from the end.
std::size_t recount(std::vector<Reading>& readings, const CommonClock& common) {
    const double period = common.period_us();
    if (period == 0) return 0;
    const auto ahead = [&](std::size_t i) { return readings[i].local_us - common.at(readings[i].number).value_or(0); };
    const auto least = [&](std::size_t first, std::size_t last) {
        double value = ahead(first);
        for (std::size_t i = first + 1; i < last; ++i) value = std::min(value, ahead(i));
        return value;
    };
    std::size_t missed = 0;
    for (std::size_t i = 1; i < readings.size(); ++i) {
        const double before = least(i - std::min(i, looked_at), i), after = least(i, std::min(readings.size(), i + looked_at));
        const auto step = static_cast<std::int64_t>(std::llround((after - before) / period));
        if (step <= 0) continue;
        for (std::size_t k = i; k < readings.size(); ++k) readings[k].number += step;
        missed += static_cast<std::size_t>(step);
    }
    for (std::size_t i = readings.size(); i-- > 1;) {
        const double before = least(i - std::min(i, looked_at), i), after = least(i, std::min(readings.size(), i + looked_at));
        const auto step = static_cast<std::int64_t>(std::llround((before - after) / period));
        if (step <= 0) continue;
        for (std::size_t k = i; k < readings.size(); ++k) readings[k].number -= step;
        missed += static_cast<std::size_t>(step);
    }
    return missed;
}

}  // namespace

// Makes the ties of each node from its readings and the reference's.
class ClockAdjustment::Builder {
public:
    Builder(ClockAdjustment& owner, const tmon_streams::Trace& trace) : owner_(owner) {
        for (const tmon_streams::Stream& stream : trace.streams) readings_.push_back(readings_of(stream));
        const std::size_t nodes = readings_.size();
        owner_.ties_.resize(nodes);
        owner_.before_.resize(nodes);
        owner_.after_.resize(nodes);
        owner_.clocks_.resize(nodes);
        for (std::size_t node = 0; node < nodes; ++node) {
            owner_.clocks_[node].node = static_cast<std::uint16_t>(node);
            owner_.clocks_[node].interrupts = readings_[node].size();
        }
    }

    void choose_reference(std::optional<std::uint16_t> wanted) {
        if (wanted && *wanted < readings_.size() && !readings_[*wanted].empty()) {
            owner_.reference_ = wanted;
            return;
        }
        std::size_t most = 0;
        for (std::size_t node = 0; node < readings_.size(); ++node) {
            if (readings_[node].size() <= most) continue;
            most = readings_[node].size();
            owner_.reference_ = static_cast<std::uint16_t>(node);
        }
    }

    void tie() {
        const std::size_t reference = *owner_.reference_;
        const CommonClock common(readings_[reference]);
        owner_.period_us_ = common.period_us();
        for (std::size_t node = 0; node < readings_.size(); ++node) {
            if (node == reference) continue;
            owner_.clocks_[node].recounted = recount(readings_[node], common);
            std::vector<Tie> all;
            for (const Reading& reading : readings_[node]) {
                if (const auto when = common.at(reading.number)) all.push_back({reading.seq, reading.local_us, *when});
            }
            keep_those_in_time(all, owner_.ties_[node]);
            describe(all, node);
            NodeClock& clock = owner_.clocks_[node];
            clock.doubt = doubt_of(all, owner_.ties_[node]);
            if (clock.doubt != ClockDoubt::None) {
                owner_.ties_[node].clear();
                clock.drift_ppm.reset();
            }
            owner_.before_[node] = slope(owner_.ties_[node], true);
            owner_.after_[node] = slope(owner_.ties_[node], false);
        }
        count_missing();
    }

private:
    // Height of `tie` above the line from `a` to `b`.
    static double above_line(const Tie& a, const Tie& b, const Tie& tie) {
        const double part = (tie.common_us - a.common_us) / (b.common_us - a.common_us);
        return ahead(tie) - (ahead(a) + part * (ahead(b) - ahead(a)));
    }
    static double ahead(const Tie& tie) { return tie.local_us - tie.common_us; }

    // The lower hull of the points, with those at most the tolerance above it. A late one goes, whatever its neighbours.
    static void keep_those_in_time(const std::vector<Tie>& all, std::vector<Tie>& kept) {
        for (const Tie& tie : all) {
            while (kept.size() >= 2 && above_line(kept[kept.size() - 2], tie, kept.back()) > tolerance_us) kept.pop_back();
            kept.push_back(tie);
        }
        // The ends have a neighbour on one side only: the line through the next two gives their value.
        while (kept.size() >= 4 && above_line(kept[kept.size() - 3], kept[kept.size() - 2], kept.back()) > tolerance_us)
            kept.pop_back();
        while (kept.size() >= 4 && above_line(kept[1], kept[2], kept[0]) > tolerance_us) kept.erase(kept.begin());
    }

    // The reason not to believe the readings: a wrong number among them bends the hull, and the good ones seem late.
    static ClockDoubt doubt_of(const std::vector<Tie>& all, const std::vector<Tie>& kept) {
        for (std::size_t i = 1; i < kept.size(); ++i) {
            const double passed = kept[i].common_us - kept[i - 1].common_us;
            if (passed <= 0 || std::abs(ahead(kept[i]) - ahead(kept[i - 1])) > 2 * tolerance_us + most_drift * passed)
                return ClockDoubt::TooFast;
        }
        if (all.size() > 2 * kept.size()) return ClockDoubt::MostlyLate;
        std::size_t next = 0, in_a_row = 0;
        for (const Tie& tie : all) {
            const bool used = next < kept.size() && kept[next].seq == tie.seq;
            in_a_row = used ? 0 : in_a_row + 1;
            if (used) ++next;
            if (in_a_row >= looked_at) return ClockDoubt::LateInARow;
        }
        return ClockDoubt::None;
    }

    static Slope slope(const std::vector<Tie>& ties, bool first) {
        if (ties.size() < 2) return {};
        const std::size_t span = std::min(slope_over, ties.size() - 1);
        const Tie& a = first ? ties.front() : ties[ties.size() - 1 - span];
        const Tie& b = first ? ties[span] : ties.back();
        return {(b.common_us - a.common_us) / (b.local_us - a.local_us)};
    }

    void describe(const std::vector<Tie>& all, std::size_t node) {
        const std::vector<Tie>& kept = owner_.ties_[node];
        NodeClock& clock = owner_.clocks_[node];
        clock.late = all.size() - kept.size();
        std::vector<double> distances;
        for (std::size_t i = 1; i + 1 < kept.size(); ++i)
            distances.push_back(std::abs(above_line(kept[i - 1], kept[i + 1], kept[i])));
        for (const double distance : distances) clock.worst_us = std::max(clock.worst_us, distance);
        clock.typical_us = median(std::move(distances));
        std::size_t next = 0;
        for (const Tie& tie : all) {
            while (next < kept.size() && kept[next].local_us < tie.local_us) ++next;
            if (next < kept.size() && kept[next].seq == tie.seq) continue;
            if (kept.size() < 2) continue;
            const std::size_t above = std::clamp<std::size_t>(next, 1, kept.size() - 1);
            clock.worst_late_us = std::max(clock.worst_late_us, above_line(kept[above - 1], kept[above], tie));
        }
        fit_drift(kept, clock);
    }

    // Straight line through the readings that are used. Each error is at most the tolerance or what was seen, and the bound
    // holds for any pattern of them. A node that is busy for a while reads late for a while, so errors need not be independent.
    static void fit_drift(const std::vector<Tie>& kept, NodeClock& clock) {
        if (kept.size() < 3) return;
        const auto n = static_cast<double>(kept.size());
        double mean_x = 0, mean_y = 0, xx = 0, xy = 0, all_x = 0, worst = tolerance_us;
        for (const Tie& tie : kept) mean_x += tie.common_us / n, mean_y += ahead(tie) / n;
        for (const Tie& tie : kept) {
            const double x = tie.common_us - mean_x;
            all_x += std::abs(x), xx += x * x, xy += x * (ahead(tie) - mean_y);
        }
        const double drift = xy / xx;
        for (const Tie& tie : kept) {
            worst = std::max(worst, std::abs(ahead(tie) - mean_y - drift * (tie.common_us - mean_x)));
        }
        clock.drift_ppm = drift * 1e6;
        clock.drift_error_ppm = worst * all_x / xx * 1e6;
    }

    void count_missing() {
        std::int64_t first = INT64_MAX, last = INT64_MIN;
        for (const auto& readings : readings_) {
            if (readings.empty()) continue;
            first = std::min(first, readings.front().number);
            last = std::max(last, readings.back().number);
        }
        for (std::size_t node = 0; node < readings_.size(); ++node) {
            const auto all = static_cast<std::size_t>(last - first + 1);
            owner_.clocks_[node].missing = all - std::min(all, readings_[node].size());
        }
    }

    ClockAdjustment& owner_;
    std::vector<std::vector<Reading>> readings_;
};

ClockAdjustment::ClockAdjustment(const tmon_streams::Trace& trace, std::optional<std::uint16_t> reference) {
    Builder builder(*this, trace);
    builder.choose_reference(reference);
    if (reference_) builder.tie();
}

bool ClockAdjustment::tied(std::uint16_t node) const {
    return reference_ && (node == *reference_ || (node < ties_.size() && !ties_[node].empty()));
}

bool ClockAdjustment::all_tied() const {
    return std::all_of(clocks_.begin(), clocks_.end(), [&](const NodeClock& clock) { return tied(clock.node); });
}

std::string_view why(ClockDoubt doubt) {
    switch (doubt) {
        case ClockDoubt::TooFast:
            return "its readings would mean more than 1000 ppm";
        case ClockDoubt::MostlyLate:
            return "most of its readings would be late";
        case ClockDoubt::LateInARow:
            return "8 of its readings in a row would be late";
        case ClockDoubt::None:
            break;
    }
    return "no record of an interrupt that the common clock knows";
}

AdjustedTime ClockAdjustment::along(const Tie& from, double rate, const Event& event) {
    const double us = from.common_us + (static_cast<double>(event.time_us) - from.local_us) * rate;
    return {std::llround(us * 1e3), EventId{event.node, from.seq}};
}

AdjustedTime ClockAdjustment::adjusted(const Event& event) const {
    if (!tied(event.node) || event.node == *reference_) return {static_cast<std::int64_t>(event.time_us) * 1000, {}};
    const auto& ties = ties_[event.node];
    const auto above = std::upper_bound(ties.begin(), ties.end(), static_cast<double>(event.time_us),
                                        [](double time, const Tie& tie) { return time < tie.local_us; });
    if (above == ties.begin()) return along(ties.front(), before_[event.node].rate, event);
    const Tie& below = *(above - 1);
    if (above == ties.end()) return along(below, after_[event.node].rate, event);
    return along(below, (above->common_us - below.common_us) / (above->local_us - below.local_us), event);
}

}  // namespace tmon_clocks
