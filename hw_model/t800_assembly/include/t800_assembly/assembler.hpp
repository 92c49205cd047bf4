// The assembler for T800 code (docs/guide/t800_code.md): labels, data, macros, and boot images.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <vocabulary/source_position.hpp>

namespace t800_assembly {

struct Symbol {
    std::string name;
    std::uint32_t value = 0;
    vocabulary::SourcePosition where;
};

struct ListedLine {
    vocabulary::SourcePosition where;
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes;
    std::string text;  // as the source has it; of a macro's body with its arguments put in
};

struct Program {
    std::uint32_t origin = 0;  // address of the first byte
    std::vector<std::uint8_t> code;
    std::vector<Symbol> symbols;  // labels, in the order of the source
    std::vector<ListedLine> listing;
    bool has_loader = false;  // the boot image begins with a loader, since the code is longer than 255 bytes
};

// The text of a file that a source includes; throws vocabulary::InputError.
using ReadSource = std::function<std::string(const std::string& path)>;

// Throws vocabulary::InputError at the place of the mistake. `file` is the name for messages, and files that the source
// includes lie beside it. `read`: empty where it can include none.
Program assemble(const std::string& source, const std::string& file, const ReadSource& read = {});
// The bytes that are sent down a link: a length and the code, or a loader with the code behind it.
std::vector<std::uint8_t> boot_image(const Program& program);
std::string listing(const Program& program);

// The last label at or before an address, and the bytes from there. Empty label: none is known.
struct LabelledPlace {
    std::string label;
    std::uint32_t offset = 0;
};
LabelledPlace labelled_place(const Program& program, std::uint32_t address);
std::string text_of(const LabelledPlace& place);  // "loop+3"

}  // namespace t800_assembly
