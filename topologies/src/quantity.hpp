// Numbers with a unit, read exactly: "1.5ms" is 1 500 000 000 ps without floating point, so a file means the same on every
// host. All readers throw vocabulary::InputError at `where`.
#pragma once

#include <cstdint>
#include <string>

#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

std::uint64_t parse_byte_size(const std::string& text, const vocabulary::SourcePosition& where);    // bytes
std::int64_t parse_frequency_hz(const std::string& text, const vocabulary::SourcePosition& where);  // Hz or bit/s

// The shortest text that the readers turn back into the value: "4MiB", "20MHz", "20Mbit/s".
std::string byte_size_text(std::uint64_t bytes);
std::string frequency_text(std::int64_t hz);
std::string bit_rate_text(std::int64_t bits_per_second);

}  // namespace topologies
