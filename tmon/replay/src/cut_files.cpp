#include "cut_files.hpp"

#include <limits>

namespace tmon_replay {

void keep_what_holds(DeliveryOrder& order, const std::vector<std::vector<Told>>& told) {
    const std::size_t ranks = order.ranks.size();
    std::vector<std::size_t> kept(ranks);
    std::vector<std::int32_t> reaches(ranks);  // own entry of the clock at the last time that is kept
    const auto set = [&](std::size_t rank) {
        const std::vector<Told>& all = told[rank];
        reaches[rank] = kept[rank] > 0 && !all[kept[rank] - 1].clock.empty() ? all[kept[rank] - 1].clock[rank] : 0;
        if (order.ranks[rank].ended) reaches[rank] = std::numeric_limits<std::int32_t>::max();
    };
    const auto holds = [&](const Told& its) {
        for (std::size_t rank = 0; rank < its.clock.size(); ++rank) {
            if (its.clock[rank] > reaches[rank]) return false;
        }
        return true;
    };
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        kept[rank] = told[rank].size();
        set(rank);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            while (kept[rank] > 0 && !order.ranks[rank].ended && !holds(told[rank][kept[rank] - 1])) {
                --kept[rank];
                set(rank);
                changed = true;
            }
        }
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        RankOrder& its = order.ranks[rank];
        if (its.ended) continue;
        its.outcomes.resize(kept[rank] == 0 ? 0 : told[rank][kept[rank] - 1].outcomes);
        its.known = kept[rank] == 0 ? Counters{} : told[rank][kept[rank] - 1].known;
    }
}

}  // namespace tmon_replay
