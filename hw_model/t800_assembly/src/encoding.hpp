// A function with its prefixes.
#pragma once

#include <cstdint>
#include <vector>

namespace t800_assembly {

// Appends the shortest form.
void encode(std::vector<std::uint8_t>& into, std::uint8_t function, std::int32_t operand);
std::size_t encoded_size(std::int32_t operand);

}  // namespace t800_assembly
