// Machine code as text. A straight sweep: data in between looks like code, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace t800_assembly {

struct DecodedLine {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes;
    std::string mnemonic;                 // ".byte" for what is no whole instruction
    std::optional<std::int32_t> operand;  // of a function that has one
    std::optional<std::uint32_t> target;  // of a jump or call
    std::string note;  // the floating-point operation that fpentry selects; an operation of another transputer
};

std::vector<DecodedLine> disassemble(std::span<const std::uint8_t> code, std::uint32_t address);

// The parts of a boot image: a length byte, the code that it counts, and whatever follows.
struct ImagePart {
    std::size_t offset = 0;  // in the image
    std::string name;        // "code", "program" or "data"
    std::uint32_t address = 0;
    std::vector<DecodedLine> lines;
};
// Throws vocabulary::RequestError: empty, or cut within the code that its first byte counts, or no boot image.
std::vector<ImagePart> disassemble_image(std::span<const std::uint8_t> image);

}  // namespace t800_assembly
