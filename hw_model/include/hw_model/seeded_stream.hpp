// Random numbers that depend on seed and stream number only (splitmix64; Steele, Lea, Flood 2014): the same with any compiler
// and library, so that a run can be repeated on any host.
#pragma once

#include <cstdint>

namespace hw_model {

class SeededStream {
public:
    SeededStream() = default;
    SeededStream(std::uint64_t seed, std::uint64_t stream) : state_(mixed(seed + (stream + 1) * step)) {}

    std::uint64_t next() { return mixed(state_ += step); }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // 0 <= x < 1
    std::uint64_t below(std::uint64_t count) { return next() % count; }       // for counts far below 2^64
    // Mean 1. By comparisons only (von Neumann 1951), because the last bit of a logarithm differs from library to library.
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
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;
    static constexpr std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    std::uint64_t state_ = 0;
};

}  // namespace hw_model
