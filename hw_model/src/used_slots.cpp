#include <hw_model/used_slots.hpp>

#include <bit>

#include <vocabulary/contract.hpp>

namespace hw_model {

std::size_t UsedSlots::first_from(std::size_t start) const {
    const std::uint64_t rest_of_word = used_[start / 64] >> (start % 64);
    if (rest_of_word != 0) return start + static_cast<std::size_t>(std::countr_zero(rest_of_word));
    // The words after the start, then from the beginning; the start word itself comes again last, for its lower bits.
    std::size_t word = start / 64 + 1;
    for (std::size_t seen = 0; seen <= words;) {
        word %= words;
        const std::uint64_t rest = used_words_[word / 64] >> (word % 64);
        if (rest != 0) {
            const std::size_t found = word + static_cast<std::size_t>(std::countr_zero(rest));
            return found * 64 + static_cast<std::size_t>(std::countr_zero(used_[found]));
        }
        seen += 64 - word % 64;
        word += 64 - word % 64;
    }
    EXPECTS(false, "used_slots.first_from.none");
    return count;
}

}  // namespace hw_model
