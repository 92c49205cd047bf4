// LiveVerdict: what the host's records say of a farm while it runs, for `magicwire shell` and `magicwire top`. It reads no
// truth: the records, the host's clock, and the unload sequence that the person gave.
#pragma once

#include <memory>
#include <string>

#include <prediction/report_bound.hpp>
#include <session/live_session.hpp>
#include <tmon_detrek/ordered_analysis.hpp>

namespace cli {

class LiveVerdict {
public:
    // The scenario has a farm and a monitor.
    explicit LiveVerdict(const scenario::Scenario& scenario)
        : growing_(std::make_unique<tmon_detrek::GrowingAnalysis>(scenario.farm)) {}
    // In causal order: `items` gets what the sorter reports. The answers are the same (docs/decisions/0050).
    LiveVerdict(const scenario::Scenario& scenario, tmon_order::SortedItems& items)
        : ordered_(std::make_unique<tmon_detrek::OrderedAnalysis>(scenario.farm, &items)) {}

    tmon_streams::TraceFeed& feed();
    const tmon_order::TraceSorter& sorter() const { return ordered_->sorter(); }  // of the second constructor
    // Takes no modelled time. Cost: the records of the tasks under way. `doubt`: why a stop that it sees may be none; empty: it
    // may be one.
    tmon_detrek::SoFar look(session::LiveSession& session, const std::string& doubt = {});
    // The longest way of a record that is made from now on.
    prediction::ReportBound bound(session::LiveSession& session);
    // look() with the bound, for people.
    std::string text(session::LiveSession& session, const std::string& doubt = {});
    // True when it names a stop, or can only say that something went wrong.
    static bool is_said(const tmon_detrek::SoFar& so_far) { return so_far.verdict.kind != tmon_detrek::VerdictKind::None; }

private:
    const tmon_detrek::GrowingAnalysis& so_far() { return ordered_ ? ordered_->so_far() : *growing_; }

    // One of the two.
    std::unique_ptr<tmon_detrek::GrowingAnalysis> growing_;
    std::unique_ptr<tmon_detrek::OrderedAnalysis> ordered_;
};

}  // namespace cli
