// Random numbers of a study: each draw depends on the seed, a name and a number alone, so that other draws do not move it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <vocabulary/split_mix.hpp>

namespace sweeps {

class Dice {
public:
    Dice(std::uint64_t seed, std::string_view name, std::uint64_t number) {
        std::uint64_t named = vocabulary::split_mix(seed, 0);
        for (const char c : name) named = vocabulary::split_mix(named, static_cast<unsigned char>(c));
        state_ = vocabulary::split_mix(named, number);
    }
    // Even from 0 to limit - 1.
    std::size_t below(std::size_t limit) {
        const std::uint64_t whole = UINT64_MAX - UINT64_MAX % limit;
        std::uint64_t drawn = next();
        while (drawn >= whole) drawn = next();
        return static_cast<std::size_t>(drawn % limit);
    }

private:
    std::uint64_t next() { return vocabulary::split_mix(state_, count_++); }
    std::uint64_t state_, count_ = 0;
};

}  // namespace sweeps
