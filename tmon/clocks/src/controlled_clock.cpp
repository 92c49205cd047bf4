#include <tmon_clocks/controlled_clock.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <vocabulary/contract.hpp>

namespace tmon_clocks {

using tmon_order::Cause;
using tmon_order::RecordId;

namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t without_bound = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t share = 100;                           // intervals change by at most 1 in so many
constexpr std::uint32_t most_moved = 1024;                    // records before one jump
constexpr std::int64_t longest_jump = std::int64_t{1} << 50;  // 13 days; so that no time overflows

// A bound of the shift at one time.
struct Bound {
    std::int64_t at_ns = 0, shift_ns = 0;
};

// On the line from `a` to `b`, rounded down; a.at_ns < b.at_ns.
std::int64_t on_line(const Bound& a, const Bound& b, std::int64_t at_ns) {
    const Wide rise = Wide{b.shift_ns} - a.shift_ns;
    return a.shift_ns + static_cast<std::int64_t>(rise * (at_ns - a.at_ns) / (Wide{b.at_ns} - a.at_ns));
}

// True when `middle` is not below the line between its neighbours.
bool is_above(const Bound& left, const Bound& middle, const Bound& right) {
    return Wide{middle.shift_ns - left.shift_ns} * (right.at_ns - left.at_ns) >=
           Wide{right.shift_ns - left.shift_ns} * (middle.at_ns - left.at_ns);
}

// The lower convex hull of bounds whose times do not fall; of equal times the lowest counts.
void add_to_hull(std::vector<Bound>& hull, Bound next) {
    if (hull.back().at_ns == next.at_ns) {
        if (hull.back().shift_ns <= next.shift_ns) return;
        if (hull.size() == 1) return;  // the beginning stays
        hull.pop_back();
    }
    while (hull.size() > 1 && is_above(hull[hull.size() - 2], hull.back(), next)) hull.pop_back();
    hull.push_back(next);
}

}  // namespace

ControlledClock::ControlledClock(std::uint16_t nodes, std::int64_t least_latency_ns)
    : least_latency_ns_(least_latency_ns), moved_(nodes), times_(nodes) {}

std::size_t ControlledClock::place(std::uint32_t node, std::uint64_t seq) const {
    const std::vector<Moved>& of = moved_[node];
    const auto after =
        std::upper_bound(of.begin(), of.end(), seq, [](std::uint64_t n, const Moved& one) { return n < one.seq; });
    return static_cast<std::size_t>(after - of.begin());
}

void ControlledClock::Greatest::add(RecordId id, std::int64_t time_ns) {
    if (id.stream == first.stream && first_ns != none_ns) {
        if (time_ns > first_ns) first_ns = time_ns, first = id;
    } else if (time_ns > first_ns) {
        second_ns = std::exchange(first_ns, time_ns);
        second = std::exchange(first, id);
    } else if (time_ns > second_ns) {
        second_ns = time_ns;
        second = id;
    }
}

ControlledClock::Times& ControlledClock::times_of(RecordId id) {
    EXPECTS(id.stream < moved_.size(), "controlled_clock.source_node");
    const std::size_t at = place(id.stream, id.number);
    EXPECTS(at > 0, "controlled_clock.source");
    return times_[id.stream][at - 1];
}

ControlledClock::SharedSources& ControlledClock::shared_sources(std::span<const Cause> sources, std::uint64_t shared) {
    const auto [known, fresh] = shared_at_.try_emplace(shared, shared_.size());
    if (!fresh) return shared_[known->second];
    SharedSources& made = shared_.emplace_back();
    for (const Cause& source : sources) {
        made.list.push_back(source.id);
        made.latest.add(source.id, times_of(source.id).final_ns);
    }
    return made;
}

void ControlledClock::record(RecordId id, std::int64_t raw_ns, std::span<const Cause> sources, std::uint64_t shared) {
    EXPECTS(id.stream < moved_.size(), "controlled_clock.node");
    std::vector<Moved>& moved = moved_[id.stream];
    std::vector<Times>& times = times_[id.stream];
    EXPECTS(moved.empty() || moved.back().seq < id.number, "controlled_clock.order");
    Moved now{static_cast<std::uint32_t>(id.number), no_jump, 0};
    std::int64_t final_ns = raw_ns;
    if (!times.empty()) {
        const Times& before = times.back();
        const std::int64_t interval = std::max<std::int64_t>(raw_ns - before.raw_ns, 0);
        const std::int64_t kept = before.final_ns + interval - interval / share;
        final_ns = std::max(final_ns, kept);
        if (final_ns > raw_ns) now.jump = moved.back().jump;
    }
    Greatest latest;
    SharedSources* const common = shared != 0 && !sources.empty() ? &shared_sources(sources, shared) : nullptr;
    if (common != nullptr) {
        if (const std::int64_t others_ns = common->latest.others_ns(id.stream); others_ns != none_ns)
            latest.add(common->latest.others(id.stream), others_ns);
    } else {
        for (const Cause& source : sources) latest.add(source.id, times_of(source.id).final_ns);
    }
    if (latest.first_ns != none_ns && latest.first_ns + least_latency_ns_ > final_ns) {
        const std::int64_t earliest = latest.first_ns + least_latency_ns_;
        now.jump = static_cast<std::uint32_t>(jumps_.size());
        jumps_.push_back({id.stream, static_cast<std::uint32_t>(times.size()), earliest - final_ns, latest.first});
        final_ns = earliest;
    }
    if (common != nullptr) {
        common->earliest_negated.add(id, -final_ns);
    } else {
        for (const Cause& source : sources) bound(times_of(source.id), final_ns);
    }
    now.shift_ns = final_ns - raw_ns;
    moved.push_back(now);
    times.push_back({raw_ns, final_ns, without_bound});
}

// The source stays before a record with this final time.
void ControlledClock::bound(Times& source, std::int64_t final_ns) const {
    source.room_ns = std::min(source.room_ns, final_ns - source.final_ns - least_latency_ns_);
}

// Each member's source stays before the others' targets.
void ControlledClock::bound_shared() {
    for (const SharedSources& shared : shared_) {
        for (const RecordId source : shared.list) {
            const std::int64_t negated_ns = shared.earliest_negated.others_ns(source.stream);
            if (negated_ns != none_ns) bound(times_of(source), -negated_ns);
        }
    }
    shared_ = {};
    shared_at_ = {};
}

// Moves the records before a jump; sends at most as far as they still may.
void ControlledClock::spread(std::uint32_t number) {
    const Jump& jump = jumps_[number];
    std::vector<Moved>& moved = moved_[jump.node];
    std::vector<Times>& times = times_[jump.node];
    const std::int64_t end_ns = times[jump.at].final_ns;
    std::int64_t begin_ns = end_ns - std::min(jump.size_ns, longest_jump) * share;
    std::uint32_t first = jump.at;
    while (first > 0 && jump.at - first < most_moved && times[first - 1].final_ns > begin_ns) --first;
    if (first > 0) begin_ns = std::max(begin_ns, times[first - 1].final_ns);  // that record stays
    std::vector<Bound> hull{{begin_ns, 0}};
    for (std::uint32_t at = first; at < jump.at; ++at) {
        if (times[at].room_ns != without_bound) add_to_hull(hull, {times[at].final_ns, times[at].room_ns});
    }
    add_to_hull(hull, {end_ns, jump.size_ns});
    std::size_t piece = 1;
    for (std::uint32_t at = first; at < jump.at; ++at) {
        while (piece + 1 < hull.size() && hull[piece].at_ns < times[at].final_ns) ++piece;
        const std::int64_t shift = on_line(hull[piece - 1], hull[piece], times[at].final_ns);
        if (times[at].room_ns != without_bound) times[at].room_ns -= shift;
        if (shift > 0 && moved[at].shift_ns == 0) moved[at].jump = number;
        moved[at].shift_ns += shift;
    }
}

void ControlledClock::finish() {
    bound_shared();
    for (std::uint32_t jump = 0; jump < jumps_.size(); ++jump) spread(jump);
    Wide sum = 0;
    std::int64_t count = 0;
    for (const std::vector<Moved>& node : moved_) {
        for (const Moved& one : node) {
            sum += one.shift_ns;
            ++count;
            most_shift_ns_ = std::max(most_shift_ns_, one.shift_ns);
        }
    }
    mean_shift_ns_ = count > 0 ? static_cast<std::int64_t>(sum / count) : 0;
    times_ = {};
}

const ControlledClock::Moved* ControlledClock::found(std::uint32_t node, std::uint64_t seq) const {
    const std::size_t at = place(node, seq);
    return at == 0 ? nullptr : &moved_[node][at - 1];
}

std::int64_t ControlledClock::shift_ns(std::uint32_t node, std::uint64_t seq) const {
    EXPECTS(node < moved_.size(), "controlled_clock.shift");
    const Moved* one = found(node, seq);
    return one == nullptr ? 0 : one->shift_ns;
}

std::optional<RecordId> ControlledClock::forced_by(std::uint32_t node, std::uint64_t seq) const {
    EXPECTS(node < moved_.size(), "controlled_clock.forced_by");
    const Moved* one = found(node, seq);
    if (one == nullptr || one->shift_ns == 0 || one->jump == no_jump) return std::nullopt;
    return jumps_[one->jump].source;
}

std::int64_t ControlledClock::mean_shift_ns() const {
    return mean_shift_ns_;
}

}  // namespace tmon_clocks
