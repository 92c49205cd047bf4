#include "cast_rounds.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

namespace trollius_os::services {
namespace {

template <class Number>
Number reduced(Reduction how, Number a, Number b) {
    if (how == Reduction::Least) return std::min(a, b);
    if (how == Reduction::Most) return std::max(a, b);
    return a + b;
}

std::int32_t reduced_word(std::int32_t how_word, std::int32_t a, std::int32_t b) {
    const auto how = static_cast<Reduction>(how_word & 0xff);
    if (static_cast<WordKind>(how_word >> 8) == WordKind::Float)
        return std::bit_cast<std::int32_t>(reduced(how, std::bit_cast<float>(a), std::bit_cast<float>(b)));
    if (how == Reduction::Sum) return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    return reduced(how, a, b);
}

}  // namespace

bool is_how_word(std::int32_t word) {
    const std::int32_t how = word & 0xff, kind = word >> 8;
    return how >= 1 && how <= 3 && (kind == 1 || kind == 2);
}

void fold(Contribution& sum, const Contribution& more) {
    if (sum.error == 0) sum.error = more.error;
    if (sum.error == 0 && (sum.how != more.how || sum.words.size() != more.words.size())) sum.error = EINVAL;
    if (sum.error != 0) {
        sum.words.clear();
        return;
    }
    for (std::size_t i = 0; i < sum.words.size(); ++i) sum.words[i] = reduced_word(sum.how, sum.words[i], more.words[i]);
}

}  // namespace trollius_os::services
