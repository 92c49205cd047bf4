#include <encoding.hpp>

namespace t800_assembly {

// The prefix builds the upper bits, and nfix inverts them: compiler writer's guide.
void encode(std::vector<std::uint8_t>& into, std::uint8_t function, std::int32_t operand) {
    static constexpr std::uint8_t pfix = 2, nfix = 6;
    if (operand >= 16) encode(into, pfix, operand >> 4);
    if (operand < 0) encode(into, nfix, ~operand >> 4);
    into.push_back(static_cast<std::uint8_t>(function << 4 | (operand & 0xF)));
}

std::size_t encoded_size(std::int32_t operand) {
    std::vector<std::uint8_t> bytes;
    encode(bytes, 0, operand);
    return bytes.size();
}

}  // namespace t800_assembly
