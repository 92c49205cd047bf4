#include "least_set.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>

namespace tmon_detrek {

namespace {

constexpr std::size_t most_events = 3;
constexpr std::uint64_t most_looks = 1'000'000;

class LeastSet {
public:
    explicit LeastSet(const std::vector<HistoryAnswer>& histories) : histories_(histories) {
        std::set<LostEvent> all;
        for (const HistoryAnswer& each : histories) all.insert(each.lost.begin(), each.lost.end());
        for (const LostEvent& event : all) {
            std::vector<bool> in;
            for (const HistoryAnswer& each : histories)
                in.push_back(std::binary_search(each.lost.begin(), each.lost.end(), event));
            if (std::count(in.begin(), in.end(), false) == 0) continue;
            events_.push_back(event);
            in_.push_back(std::move(in));
        }
    }

    std::vector<LostEvent> find() {
        for (std::size_t size = 1; size <= most_events; ++size) {
            chosen_.clear();
            if (add(0, size)) {
                std::vector<LostEvent> set;
                for (const std::size_t each : chosen_) set.push_back(events_[each]);
                return set;
            }
        }
        return {};
    }

private:
    bool add(std::size_t from, std::size_t more) {
        if (more == 0) return decides();
        for (std::size_t event = from; event < events_.size() && looks_ < most_looks; ++event) {
            chosen_.push_back(event);
            if (add(event + 1, more - 1)) return true;
            chosen_.pop_back();
        }
        return false;
    }

    // Histories that agree about the chosen events have one answer.
    bool decides() {
        std::array<std::optional<std::size_t>, 1U << most_events> answers;
        for (std::size_t i = 0; i < histories_.size(); ++i) {
            ++looks_;
            if (!histories_[i].is_decided) return false;
            std::size_t which = 0;
            for (const std::size_t event : chosen_) which = which * 2 + (in_[event][i] ? 1 : 0);
            auto& answer = answers[which];
            if (answer && *answer != histories_[i].answer) return false;
            answer = histories_[i].answer;
        }
        return true;
    }

    const std::vector<HistoryAnswer>& histories_;
    std::vector<LostEvent> events_;      // in some histories, and not in all
    std::vector<std::vector<bool>> in_;  // by event: which histories
    std::vector<std::size_t> chosen_;
    std::uint64_t looks_ = 0;
};

}  // namespace

std::vector<LostEvent> least_deciding(const std::vector<HistoryAnswer>& histories) {
    const bool all_decided =
        std::all_of(histories.begin(), histories.end(), [](const HistoryAnswer& each) { return each.is_decided; });
    if (histories.size() < 2 || !all_decided) return {};
    return LeastSet(histories).find();
}

}  // namespace tmon_detrek
