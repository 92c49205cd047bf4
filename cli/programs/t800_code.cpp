// asm and disasm: T800 machine code from and to text.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <t800_assembly/assembler.hpp>
#include <t800_assembly/disassembler.hpp>
#include <t800_core/registers.hpp>
#include <text/output_file.hpp>
#include <vocabulary/source_position.hpp>

#include "boot/numbers.hpp"
#include "frame/command.hpp"

namespace cli {
namespace {

using nlohmann::ordered_json;
using Bytes = std::vector<std::uint8_t>;

std::string as_text(const ordered_json& json) {
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

struct AsmOptions {
    std::string source, output;
    bool listing = false, raw = false, json = false;
};

ordered_json asm_json(const AsmOptions& options, const t800_assembly::Program& program, std::size_t image_bytes) {
    ordered_json symbols = ordered_json::array();
    for (const t800_assembly::Symbol& symbol : program.symbols) {
        symbols.push_back({{"name", symbol.name}, {"address", symbol.value}, {"line", symbol.where.line}});
    }
    return {{"schema", "magicwire.asm/1"},       {"image", options.output},  {"image_bytes", image_bytes},
            {"code_bytes", program.code.size()}, {"origin", program.origin}, {"loader", program.has_loader && !options.raw},
            {"symbols", std::move(symbols)}};
}

std::string read_t800_source(const std::string& path) {
    return text::read_text_file(path, "an assembler source");
}

void assemble(AsmOptions& options) {
    const t800_assembly::Program program =
        t800_assembly::assemble(read_t800_source(options.source), options.source, read_t800_source);
    if (options.output.empty()) options.output = std::filesystem::path(options.source).stem().string() + ".t8";
    const Bytes image = options.raw ? program.code : t800_assembly::boot_image(program);
    text::write_text_file(options.output, std::string(image.begin(), image.end()), text::Replace::Yes);
    if (options.json) return put(as_text(asm_json(options, program, image.size())));
    std::string told = options.listing ? t800_assembly::listing(program) + "\n" : "";
    told += fmt::format("{}: {} byte{} of code at #{:08X}", options.output, program.code.size(),
                        program.code.size() == 1 ? "" : "s", program.origin);
    if (options.raw) {
        told += ", without a boot message";
    } else if (program.has_loader) {
        told += fmt::format(", behind a loader of {} bytes", image.size() - program.code.size() - 5);
    }
    put(told);
}

struct DisasmOptions {
    std::string image, base;
    bool raw = false, json = false;
};

std::uint32_t address_of(const std::string& text) {
    if (const auto address = address_in(text)) return *address;
    if (const auto number = number_in<std::uint32_t>(text)) return *number;
    throw CLI::ValidationError("--base is '" + text + "', but must be an address, such as 0x80000070 or '#80000070'");
}

std::string instruction_text(const t800_assembly::DecodedLine& line) {
    std::string text = line.mnemonic;
    if (line.target) {
        text += fmt::format(" 0x{:08X}", *line.target);
    } else if (line.operand) {
        text += fmt::format(" {}", *line.operand);
    } else if (line.mnemonic == ".byte") {
        for (std::size_t i = 0; i < line.bytes.size(); ++i)
            text += fmt::format("{} 0x{:02X}", i == 0 ? "" : ",", line.bytes[i]);
    }
    if (line.note.empty()) return text;
    return fmt::format("{:<20}  ; {}", text, line.note);
}

std::string hex_of(const Bytes& bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02X}", byte);
    return text;
}

void print_parts(const std::vector<t800_assembly::ImagePart>& parts) {
    std::string text;
    for (const t800_assembly::ImagePart& part : parts) {
        text += fmt::format("{}; {} from byte {} of the file{}\n", text.empty() ? "" : "\n", part.name, part.offset,
                            part.name == "data" ? ", sent after the boot message" : "");
        std::size_t at = part.offset;
        for (const t800_assembly::DecodedLine& line : part.lines) {
            if (part.name == "data") {
                text += fmt::format("{:8}  {}\n", at, instruction_text(line));
            } else {
                text += fmt::format("{:08X}  {:<17} {}\n", line.address, hex_of(line.bytes), instruction_text(line));
            }
            at += line.bytes.size();
        }
    }
    text.pop_back();
    put(text);
}

ordered_json parts_json(const std::string& image, const std::vector<t800_assembly::ImagePart>& parts) {
    ordered_json all = ordered_json::array();
    for (const t800_assembly::ImagePart& part : parts) {
        ordered_json lines = ordered_json::array();
        for (const t800_assembly::DecodedLine& line : part.lines) {
            ordered_json one{{"address", line.address}, {"bytes", hex_of(line.bytes)}, {"instruction", line.mnemonic}};
            if (line.operand) one["operand"] = *line.operand;
            if (line.target) one["target"] = *line.target;
            if (!line.note.empty()) one["note"] = line.note;
            lines.push_back(std::move(one));
        }
        all.push_back({{"name", part.name}, {"offset", part.offset}, {"address", part.address}, {"lines", std::move(lines)}});
    }
    return {{"schema", "magicwire.disasm/1"}, {"image", image}, {"parts", std::move(all)}};
}

std::vector<t800_assembly::ImagePart> parts_of(const DisasmOptions& options, std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) throw vocabulary::InputError({options.image}, "the file is empty");
    if (options.image.ends_with(".s"))
        throw vocabulary::InputError({options.image},
                                     fmt::format("this is an assembler source, and no image; 'magicwire asm {} --listing' "
                                                 "shows its code, and makes the image",
                                                 options.image));
    const std::uint32_t base = options.base.empty() ? t800_core::reserved::mem_start : address_of(options.base);
    if (options.raw) return {{0, "code", base, t800_assembly::disassemble(bytes, base)}};
    try {
        return t800_assembly::disassemble_image(bytes);
    } catch (const vocabulary::RequestError& error) {
        throw vocabulary::InputError({options.image}, error.what());
    }
}

void disassemble(const DisasmOptions& options) {
    const std::string file = text::read_text_file(options.image, "a boot image");
    const Bytes bytes(file.begin(), file.end());
    const auto parts = parts_of(options, bytes);
    if (options.json) return put(as_text(parts_json(options.image, parts)));
    print_parts(parts);
}

}  // namespace

void add_asm(CLI::App& app, int& result) {
    auto options = std::make_shared<AsmOptions>();
    CLI::App* command = app.add_subcommand("asm", "Assemble T800 machine code into a boot image");
    command->add_option("SOURCE", options->source, "assembler source")->required()->check(file_name("name a source file"));
    command->add_option("-o,--output", options->output, "the image; default: the source's name with the ending .t8")
        ->type_name("FILE")
        ->check(file_name());
    command->add_flag("--raw", options->raw, "write the code alone, without a boot message");
    command->add_flag("--listing", options->listing, "print each line with its address and bytes");
    command->add_flag("--json", options->json, "print JSON, with all labels");
    command->footer(
        "The first byte of an image is the length of the code, which a T800 loads and starts when it boots from a link. Code "
        "of\n"
        "more than 255 bytes comes behind a loader. The language: docs/guide/t800_code.md.\n\n"
        "Examples:\n  magicwire asm hello.s\n  magicwire asm hello.s -o hello.t8 --listing\n");
    command->callback([options, &result] {
        assemble(*options);
        result = exit_code::nothing_found;
    });
}

void add_disasm(CLI::App& app, int& result) {
    auto options = std::make_shared<DisasmOptions>();
    CLI::App* command = app.add_subcommand("disasm", "Show a boot image, or T800 machine code, as text");
    command->add_option("IMAGE", options->image, "boot image")->required()->check(file_name("name a boot image"));
    CLI::Option* raw = command->add_flag("--raw", options->raw, "the file is code without a boot message");
    command->add_option("--base", options->base, "address of the first byte of --raw; default: 0x80000070")
        ->type_name("ADDRESS")
        ->needs(raw);
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Examples:\n  magicwire disasm hello.t8\n  magicwire disasm --raw --base 0x80001000 part.bin\n  magicwire disasm "
        "hello.t8 --json\n");
    command->callback([options, &result] {
        disassemble(*options);
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
