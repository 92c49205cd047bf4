// "did you mean": the candidate nearest to a misspelt name, for the messages of every parser.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vocabulary {

// Number of inserted, deleted, changed or swapped letters between two words (optimal string alignment); cost: product of the
// lengths.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

// The first of the candidates with the least distance. Empty when even that one differs in more than a third of its letters. At
// least two letters are always forgiven, but never all of them. A name too long for every candidate is rejected without a
// comparison.
inline std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    std::size_t longest = 0;
    for (const std::string& candidate : candidates) longest = std::max(longest, candidate.size());
    if (name.size() > longest + std::max<std::size_t>(2, longest / 3)) return std::nullopt;
    const std::string* best = nullptr;
    std::size_t best_distance = 0;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        if (best == nullptr || distance < best_distance) {
            best = &candidate;
            best_distance = distance;
        }
    }
    if (best == nullptr || best_distance > std::max<std::size_t>(2, best->size() / 3)) return std::nullopt;
    return best_distance < best->size() ? std::optional(*best) : std::nullopt;
}

// ", did you mean 'speed'?" or an empty text.
inline std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const auto nearest = nearest_name(name, candidates);
    return nearest ? std::string(", did you mean '").append(*nearest).append("'?") : std::string();
}

}  // namespace vocabulary
