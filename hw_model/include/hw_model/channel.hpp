// The two kinds of messages on a link. Without SystemC, so results of a run can name them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hw_model {

// Packets of the kernel's datalink, and messages of a circuit that a program has with its neighbour. The first word of a
// message tells them apart; each kind has its own waiting receiver.
enum class Channel : std::uint8_t { Datalink = 0, Circuit = 1 };
inline constexpr std::size_t channels = 2;

}  // namespace hw_model
