// Names of a T800's instructions, and of the ones that only its relatives have. The table of cycles and effects is
// docs/model/t800_core.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace t800_assembly {

enum class Kind : std::uint8_t {
    Function,      // high nibble of a byte
    Operation,     // number for opr
    FloatingEntry  // number for fpentry: ldc NUMBER; fpentry
};

struct Name {
    std::string_view text;
    Kind kind;
    std::uint16_t number;
    bool on_t800 = true;
};

std::span<const Name> names();
std::optional<Name> find(std::string_view text);
std::optional<Name> find(Kind kind, std::uint32_t number);

}  // namespace t800_assembly
