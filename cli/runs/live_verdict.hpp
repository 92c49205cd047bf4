// LiveVerdict: what the host's records say of a farm while it runs, for `magicwire shell` and `magicwire top`. It reads no
// truth: the records, the host's clock, and the unload sequence that the person gave.
#pragma once

#include <string>

#include <prediction/report_bound.hpp>
#include <session/live_session.hpp>
#include <tmon_detrek/ordered_analysis.hpp>

namespace cli {

class LiveVerdict {
public:
    // The scenario has a farm and a monitor.
    explicit LiveVerdict(const scenario::Scenario& scenario) : ordered_(scenario.farm) {}

    tmon_streams::TraceFeed& feed() { return ordered_; }
    // Takes no modelled time. Cost: the records of the tasks under way.
    tmon_detrek::SoFar look(session::LiveSession& session);
    // The longest way of a record that is made from now on.
    prediction::ReportBound bound(session::LiveSession& session);
    // look() with the bound, for people.
    std::string text(session::LiveSession& session);
    // True when it names a stop, or can only say that something went wrong.
    static bool is_said(const tmon_detrek::SoFar& so_far) { return so_far.verdict.kind != tmon_detrek::VerdictKind::None; }

private:
    tmon_detrek::OrderedAnalysis ordered_;
};

}  // namespace cli
