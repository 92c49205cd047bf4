// Values in assembler source: numbers, labels, and arithmetic on them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <vocabulary/source_position.hpp>

namespace t800_assembly {

// A piece of a source line with its place.
struct Text {
    std::string text;
    vocabulary::SourcePosition where;
};

// Value of a name; throws for one that is unknown. `where` is the place of its use.
using Lookup = std::function<std::int64_t(std::string_view name, const vocabulary::SourcePosition& where)>;

// + - * / % & | ^ << >> ~ and parentheses, numbers (10, #1F, 0x1F, 'a'), names, and '.' for the address of this line.
// Throws vocabulary::InputError.
std::int64_t evaluate(const Text& expression, const Lookup& lookup, std::int64_t here);

bool is_name_start(char c);
bool is_name_part(char c);
// The character that an escape (the character after the backslash) stands for.
char unescaped(char c, const vocabulary::SourcePosition& where);

}  // namespace t800_assembly
