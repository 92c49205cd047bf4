#include <mpi_runs/deliveries.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace mpi_runs {
namespace {

using tmon_replay::CallKind;
using tmon_replay::CallOutcome;

static_assert(tmon_replay::call_kinds == LAM_EVENT_KINDS);
static_assert(int{LAM_EVENT_CANCEL} == static_cast<int>(CallKind::Cancel));

tmon_replay::Counters counters_of(const lam_record_head& head) {
    tmon_replay::Counters counters{};
    std::copy(std::begin(head.counters), std::end(head.counters), counters.begin());
    return counters;
}

lam_event event_of(const CallOutcome& its) {
    return {static_cast<std::int32_t>(its.kind), its.first, its.last, its.cancelled ? LAM_NOBODY : its.source, LAM_NO_OTHER};
}

}  // namespace

tmon_replay::RankOrder order_of(const lam_mpi::Told& told) {
    tmon_replay::RankOrder order;
    for (const lam_event& its : told.events) {
        if (its.kind < 0 || its.kind >= LAM_EVENT_KINDS) continue;
        CallOutcome outcome{
            .kind = static_cast<CallKind>(its.kind), .first = its.first, .last = its.last, .source = its.source};
        outcome.cancelled = outcome.kind == CallKind::Receive && its.source == LAM_NOBODY;
        if (outcome.cancelled) outcome.source = -1;
        outcome.maybe = its.other == LAM_MAYBE;
        if (its.other >= 0) outcome.others = {its.other};
        order.outcomes.push_back(std::move(outcome));
    }
    order.clock = told.clock;
    if (told.what == LAM_TOLD_ALL || told.what == LAM_TOLD_END) order.known = counters_of(told.head);
    if (told.what == LAM_TOLD_END) order.ended = order.known;
    return order;
}

std::vector<lam_mpi::Script> scripts_of(const tmon_replay::DeliveryOrder& order) {
    std::vector<lam_mpi::Script> scripts;
    for (const tmon_replay::RankOrder& rank : order.ranks) {
        lam_mpi::Script script;
        std::copy(rank.known.begin(), rank.known.end(), std::begin(script.head.known));
        if (rank.ended)
            std::fill(std::begin(script.head.known), std::end(script.head.known), std::numeric_limits<std::int32_t>::max());
        script.head.receives = rank.ended ? rank.ended->front() : -1;
        for (const CallOutcome& its : tmon_replay::in_order(rank.outcomes, !order.whole()))
            script.events.push_back(event_of(its));
        scripts.push_back(std::move(script));
    }
    return scripts;
}

}  // namespace mpi_runs
