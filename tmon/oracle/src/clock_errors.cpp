#include <tmon_oracle/clock_errors.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <vocabulary/contract.hpp>

namespace tmon_oracle {

using trace_record::Event;
namespace {

template <class Each>
void for_each_event(const tmon_streams::Stream& stream, Each&& each) {
    for (const auto part : stream.in_passing()) {
        for (const Event& event : part) each(event);
    }
}

bool known(const std::vector<TrueClock>& truth, std::uint16_t node) {
    return node < truth.size() && truth[node].known;
}

}  // namespace

ErrorQuantiles quantiles_of(const std::vector<ClockErrors::Point>& points) {
    ErrorQuantiles result;
    result.records = points.size();
    if (points.empty()) return result;
    std::vector<double> sizes;
    double sum = 0;
    for (const auto& point : points) {
        sizes.push_back(std::abs(point.error_us));
        sum += point.error_us;
    }
    std::sort(sizes.begin(), sizes.end());
    const auto n = static_cast<double>(sizes.size());
    const auto below = [&](double share) { return sizes[static_cast<std::size_t>(std::ceil(share * n)) - 1]; };
    result.half_us = below(0.5), result.most_90_us = below(0.9), result.most_99_us = below(0.99),
    result.worst_us = sizes.back();
    result.mean_us = sum / n;
    return result;
}

std::optional<ClockErrors> clock_errors(const tmon_streams::Trace& trace, const tmon_clocks::ClockAdjustment& adjustment,
                                        const std::vector<TrueClock>& truth, std::uint16_t otherwise) {
    const std::uint16_t reference = adjustment.reference().value_or(otherwise);
    if (!known(truth, reference)) return std::nullopt;
    ClockErrors errors;
    const TrueClock& common = truth[reference];
    errors.reference = reference;
    errors.reference_off_ppm = common.drift_ppm;
    for (const tmon_streams::Stream& stream : trace.streams) {
        if (stream.node == reference || !known(truth, stream.node)) continue;
        const bool tied = adjustment.tied(stream.node);
        std::optional<double> set_right;
        for_each_event(stream, [&](const Event& event) {
            const double when = truth[stream.node].true_us(event.time_us), shown = common.shown_us(when);
            const double raw = static_cast<double>(event.time_us) - shown;
            if (!set_right) set_right = raw;
            errors.raw_worst_us = std::max(errors.raw_worst_us, std::abs(raw));
            errors.without.push_back({when, raw - *set_right, stream.node});
            if (tied)
                errors.synchronised.push_back(
                    {when, static_cast<double>(adjustment.adjusted(event).ns) * 1e-3 - shown, stream.node});
        });
    }
    errors.of_synchronised = quantiles_of(errors.synchronised);
    errors.of_without = quantiles_of(errors.without);
    return errors;
}

FinalTimeErrors::FinalTimeErrors(const std::vector<TrueClock>& truth, std::uint16_t reference)
    : truth_(truth), reference_(reference) {
    EXPECTS(known(truth, reference), "final_time_errors.reference");
}

void FinalTimeErrors::item(const tmon_order::SortedItem& item) {
    if (item.event == nullptr || item.event->node == reference_ || !known(truth_, item.event->node)) return;
    const double when = truth_[item.event->node].true_us(item.event->time_us);
    const double shown = truth_[reference_].shown_us(when);
    points.push_back({when, static_cast<double>(item.order.final_ns) * 1e-3 - shown, item.event->node});
}

tmon_clocks::CausalityCheck check_true(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                                       const std::vector<TrueClock>& truth) {
    return tmon_clocks::check_times(trace, order, [&](const Event& event) {
        return known(truth, event.node) && known(truth, event.peer) ? truth[event.node].true_us(event.time_us) : 0;
    });
}

namespace {

// At most so many points of each kind: the picture is a thousand dots wide.
constexpr std::size_t most_points = 4000;

tmon_pictures::Curve curve_of(const std::vector<ClockErrors::Point>& points, const char* name) {
    tmon_pictures::Curve curve{name, {}, tmon_pictures::CurveStyle::Markers};
    const std::size_t step = std::max<std::size_t>(1, (points.size() + most_points - 1) / most_points);
    for (std::size_t i = 0; i < points.size(); i += step)
        curve.points.push_back({points[i].true_us * 1e-6, points[i].error_us});
    return curve;
}

}  // namespace

tmon_pictures::CurvePicture error_picture(const ClockErrors& errors) {
    tmon_pictures::CurvePicture picture;
    picture.x = {"true time (s)", tmon_pictures::Scale::Linear};
    picture.curves = {curve_of(errors.without, "without")};
    const auto within = [](const ErrorQuantiles& q) {
        return q.records == 0 ? std::string("no record to compare") : fmt::format("99 % within {:.1f} us", q.most_99_us);
    };
    const std::string without = "without, set right once: " + within(errors.of_without);
    if (errors.synchronised.empty()) {
        picture.title = "No synchronisation";
        picture.y = {fmt::format("error against the clock of n{} (us)", errors.reference), tmon_pictures::Scale::Linear};
        picture.note = without;
        return picture;
    }
    picture.title = "With and without synchronisation";
    picture.y = {"error against the common clock (us)", tmon_pictures::Scale::Linear};
    picture.curves.push_back(curve_of(errors.synchronised, "synchronised"));
    picture.note = within(errors.of_synchronised) + "; " + without;
    return picture;
}

}  // namespace tmon_oracle
