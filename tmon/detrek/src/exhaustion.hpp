// Certainty by exhaustion: the rules judge each history that the lost records allow. When all of them have one answer, that is
// the answer: certain, if it is certain in each. When two differ, the second is a counter-history. Past the budget nothing
// becomes certain. Private: verdict.cpp uses it.
#pragma once

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/trace.hpp>
#include "histories.hpp"

namespace tmon_detrek {

// The verdict of the rules alone, or a better one. `by_rules`: neither certain nor none. Cost: at most the budget; nothing when
// no node counted its losses.
Verdict by_exhaustion(const tmon_streams::Trace& tasks, const EventGraphs& graphs, Verdict by_rules,
                      const HistoryBudget& budget = {});

}  // namespace tmon_detrek
