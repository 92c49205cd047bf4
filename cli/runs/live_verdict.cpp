#include "runs/live_verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cli {

using vocabulary::SimTime;

namespace {

std::uint64_t host_us(session::LiveSession& session) {
    return static_cast<std::uint64_t>(session.now().in_us());
}

}  // namespace

tmon_streams::TraceFeed& LiveVerdict::feed() {
    if (ordered_) return *ordered_;
    return *growing_;
}

prediction::ReportBound LiveVerdict::bound(session::LiveSession& session) {
    const std::uint64_t clock = so_far().clock_us(host_us(session)).value_or(0);
    return prediction::report_bound(session.scenario(), SimTime::us(static_cast<std::int64_t>(clock)));
}

tmon_detrek::SoFar LiveVerdict::look(session::LiveSession& session, const std::string& doubt) {
    const tmon_detrek::GrowingAnalysis& growing = so_far();
    const prediction::ReportBound at_most = bound(session);
    const auto behind = [&](std::uint64_t clock_us) {
        const SimTime clock = SimTime::us(static_cast<std::int64_t>(clock_us));
        const auto known = prediction::report_behind(session.scenario(), clock, at_most.flight);
        if (known) return static_cast<std::uint64_t>(known->in_us());
        // The sequence alone sets no bound: then what was seen so far counts as well.
        return std::max(static_cast<std::uint64_t>(at_most.way().in_us()), growing.longest_way_us());
    };
    tmon_detrek::SoFar so_far = growing.so_far({host_us(session), behind}, [&session] { return session.collected(); });
    if (doubt.empty() || !is_said(so_far)) return so_far;
    so_far.verdict = {};
    so_far.verdict.kind = tmon_detrek::VerdictKind::Unknown;
    so_far.verdict.sentence = "Unknown: " + doubt + ".";
    so_far.verdict.depends_on = {doubt};
    return so_far;
}

std::string LiveVerdict::text(session::LiveSession& session, const std::string& doubt) {
    const tmon_detrek::SoFar so_far = look(session, doubt);
    return fmt::format("from the {} records that the host has:\n", so_far.records) +
           so_far_text(so_far, this->so_far().spec()) +
           fmt::format("A stop shows {}.\n", prediction::report_bound_text(bound(session)));
}

}  // namespace cli
