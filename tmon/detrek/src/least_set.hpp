// The least set of lost records that would decide: whoever knew whether each of these was made would be certain. Private:
// exhaustion.cpp uses it.
#pragma once

#include <cstddef>
#include <vector>

#include "gap_filling.hpp"

namespace tmon_detrek {

struct HistoryAnswer {
    std::vector<LostEvent> lost;  // ascending
    std::size_t answer = 0;       // equal for equal answers
    bool is_decided = false;      // this history alone has one place
};

// Ascending; the first of the smallest sets. Empty when no set of at most three decides, or when the search is too long: more
// than a million looks at a history.
std::vector<LostEvent> least_deciding(const std::vector<HistoryAnswer>& histories);

}  // namespace tmon_detrek
