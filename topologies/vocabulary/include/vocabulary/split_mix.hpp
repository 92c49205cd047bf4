// splitmix64 (Steele, Lea, Flood 2014): random numbers that are the same with any compiler and library, so a run can be
// repeated on any host. A generator adds `split_mix_step` to its state and gives split_mix() of it.
#pragma once

#include <cstdint>

namespace vocabulary {

inline constexpr std::uint64_t split_mix_step = 0x9e3779b97f4a7c15;

constexpr std::uint64_t split_mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// Number `index` of the sequence that `seed` starts.
constexpr std::uint64_t split_mix(std::uint64_t seed, std::uint64_t index) {
    return split_mix(seed + (index + 1) * split_mix_step);
}

}  // namespace vocabulary
