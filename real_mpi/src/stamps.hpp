// Vector clocks of a run, computed afterwards from its records, so that no message carries one. As on the modelled machine, a
// clock ticks at the end of a receive or blocking probe of any source (trollius_os/lam/support/lam_delivery.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "messages.hpp"

namespace real_mpi {

struct WildEnd {
    std::uint32_t posted = 0, ended = 0;  // records
    std::uint32_t tick = 0;               // own entry of the clock
};

struct Stamps {
    std::size_t ranks = 0;
    std::vector<std::uint32_t> clocks{};             // those that messages carry, one after another
    std::vector<std::vector<std::uint32_t>> sent{};  // by sender and message: number of its clock
    std::vector<std::vector<WildEnd>> wild{};        // by rank, in the order of their ends
    bool whole = true;  // false: a receive has no send, or a collective operation lacks a rank that it waits for

    std::uint32_t entry(std::uint32_t clock, std::size_t rank) const { return clocks[clock * ranks + rank]; }
};

// Cost: a clock for each receive and collective operation behind which a message is sent; ranks times that in time and memory.
Stamps stamps_of(const RankFiles& files, const Messages& messages);

}  // namespace real_mpi
