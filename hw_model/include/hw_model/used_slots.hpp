// UsedSlots: the slots of a Timeline's wheel that hold events, as a bitmap of two levels. It finds the first of them from any
// slot on. Cost: a change touches two words, a search seldom more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hw_model {

class UsedSlots {
public:
    static constexpr std::size_t count = std::size_t{1} << 12;

    void add(std::size_t slot) {
        used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        used_words_[slot / 4096] |= std::uint64_t{1} << (slot / 64 % 64);
    }
    void remove(std::size_t slot) {
        used_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        if (used_[slot / 64] == 0) used_words_[slot / 4096] &= ~(std::uint64_t{1} << (slot / 64 % 64));
    }
    // From `start` on, and after the last slot from slot 0 on. At least one slot must be used.
    std::size_t first_from(std::size_t start) const;

private:
    static constexpr std::size_t words = count / 64, summary_words = (words + 63) / 64;

    std::array<std::uint64_t, words> used_{};
    std::array<std::uint64_t, summary_words> used_words_{};
};

}  // namespace hw_model
