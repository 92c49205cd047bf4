// The word of the pouch that has a packet's number, under flags::numbered (LAM 7.1.4, NREEL).
#pragma once

#include <cstddef>

namespace trollius_os {

inline constexpr std::size_t packet_number_word = 6;

}  // namespace trollius_os
