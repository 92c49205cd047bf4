// Sets of processes that travel with messages. Many messages carry the same, and each set is there as long as one is under way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tmon_recovery {

class KnowledgePool {
public:
    static constexpr std::uint32_t none = UINT32_MAX;
    explicit KnowledgePool(std::size_t words) : words_(words) {}

    std::uint32_t add(const std::vector<std::uint64_t>& set) {  // is held once
        std::uint32_t at = static_cast<std::uint32_t>(holders_.size());
        if (free_.empty()) {
            holders_.push_back(0);
            sets_.resize(sets_.size() + words_);
        } else {
            at = free_.back();
            free_.pop_back();
        }
        holders_[at] = 1;
        std::copy(set.begin(), set.end(), &sets_[at * words_]);
        return at;
    }
    void hold(std::uint32_t at) { ++holders_[at]; }
    void drop(std::uint32_t at) {
        if (--holders_[at] == 0) free_.push_back(at);
    }
    // True: `set` had not all of it.
    bool join(std::vector<std::uint64_t>& set, std::uint32_t at) const {
        std::uint64_t news = 0;
        for (std::size_t word = 0; word < words_; ++word) {
            const std::uint64_t more = sets_[at * words_ + word] & ~set[word];
            news |= more;
            set[word] |= more;
        }
        return news != 0;
    }

private:
    std::size_t words_;
    std::vector<std::uint64_t> sets_{};
    std::vector<std::uint32_t> holders_{}, free_{};
};

}  // namespace tmon_recovery
