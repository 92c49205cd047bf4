#include <loader.hpp>

#include <fmt/format.h>
#include <t800_assembly/assembler.hpp>
#include <t800_core/registers.hpp>

namespace t800_assembly {
namespace {

// Reads the number of bytes and then the code, over the link that booted the node. It leaves the registers as a boot does: the
// workspace behind the code, and the link's input channel in C.
constexpr const char* loader_source = R"(
        ajw -8          ; into the space behind this code
        stl 0
        stl 0
        stl 1           ; input channel of the boot link
        ldlp 2
        ldl 1
        ldc 4
        in
        ldc program - here
        ldpi
here:   stl 3
        ldl 3
        ldl 1
        ldl 2
        in
        ldl 3
        ldl 2
        bsub
        adc 3
        ldc -4
        and
        stl 2
        ldl 1
        ldl 3
        ldl 2
        gajw
        rev
        gcall
        .align 4
        .space 64       ; the loader's workspace
program:
)";

}  // namespace

const Program& loader() {
    static const Program program = assemble(loader_source, "loader");
    return program;
}

std::uint32_t loaded_address() {
    return loader().origin + static_cast<std::uint32_t>(loader().code.size());
}

std::vector<std::uint8_t> boot_image(const Program& program) {
    std::vector<std::uint8_t> image;
    if (program.has_loader) {
        const std::vector<std::uint8_t>& first = loader().code;
        image.push_back(static_cast<std::uint8_t>(first.size()));
        image.insert(image.end(), first.begin(), first.end());
        for (int i = 0; i < 4; ++i) image.push_back(static_cast<std::uint8_t>(program.code.size() >> (8 * i)));
    } else {
        image.push_back(static_cast<std::uint8_t>(program.code.size()));
    }
    image.insert(image.end(), program.code.begin(), program.code.end());
    return image;
}

std::string listing(const Program& program) {
    std::string text;
    for (const ListedLine& line : program.listing) {
        static constexpr std::size_t a_line = 8;
        std::size_t at = 0;
        do {
            std::string bytes;
            for (std::size_t i = at; i < line.bytes.size() && i < at + a_line; ++i)
                bytes += fmt::format("{:02X} ", line.bytes[i]);
            const auto address = static_cast<std::uint32_t>(line.address + at);
            text += at == 0 ? fmt::format("{:08X}  {:<24} {:>5}  {}\n", address, bytes, line.where.line, line.text)
                            : fmt::format("{:08X}  {}\n", address, bytes);
            at += a_line;
        } while (at < line.bytes.size());
    }
    return text;
}

LabelledPlace labelled_place(const Program& program, std::uint32_t address) {
    const Symbol* best = nullptr;
    for (const Symbol& symbol : program.symbols) {
        if (symbol.value <= address && (best == nullptr || symbol.value >= best->value)) best = &symbol;
    }
    return best == nullptr ? LabelledPlace{} : LabelledPlace{best->name, address - best->value};
}
std::string text_of(const LabelledPlace& place) {
    return place.offset == 0 ? place.label : fmt::format("{}+{}", place.label, place.offset);
}

}  // namespace t800_assembly
