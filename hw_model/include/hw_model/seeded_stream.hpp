// Random numbers that depend only on the seed and the stream number (split_mix.hpp).
#pragma once

#include <cstdint>

#include <vocabulary/split_mix.hpp>

namespace hw_model {

class SeededStream {
public:
    SeededStream() = default;
    SeededStream(std::uint64_t seed, std::uint64_t stream) : state_(vocabulary::split_mix(seed, stream)) {}

    std::uint64_t next() { return vocabulary::split_mix(state_ += vocabulary::split_mix_step); }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // 0 <= x < 1
    std::uint64_t below(std::uint64_t count) { return next() % count; }       // for counts far below 2^64
    // Exponential, mean 1. It uses comparisons only (von Neumann 1951), because the last bit of a logarithm differs between
    // libraries.
    double exponential() {
        for (int whole = 0;; ++whole) {
            const double first = uniform();
            bool odd = true;
            for (double last = first, following = uniform(); following < last; following = uniform()) {
                last = following;
                odd = !odd;
            }
            if (odd) return whole + first;
        }
    }

private:
    std::uint64_t state_ = 0;
};

}  // namespace hw_model
