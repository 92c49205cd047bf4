// The kinds of messages on a link. No SystemC, so that results of a run can name them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hw_model {

// Two kinds of traffic share a link: packets of the kernel's datalink and messages of a circuit that a program has with its
// neighbour. The first word of a message tells them apart; each kind has its own waiting receiver.
enum class Channel : std::uint8_t { Datalink = 0, Circuit = 1 };
inline constexpr std::size_t channels = 2;

// Whose bytes they are, for the totals: the monitor's share of a link is one of the figures users want first.
enum class Traffic : std::uint8_t { System = 0, Application = 1, Monitor = 2 };
inline constexpr std::size_t traffic_kinds = 3;

}  // namespace hw_model
