#include <t800_assembly/disassembler.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <loader.hpp>
#include <t800_assembly/names.hpp>
#include <t800_core/registers.hpp>
#include <vocabulary/source_position.hpp>

namespace t800_assembly {
namespace {

constexpr std::uint8_t code_j = 0, code_pfix = 2, code_nfix = 6, code_call = 9, code_cj = 10, code_opr = 15;
constexpr std::size_t most_length = 8;  // a longer run of prefixes is data

DecodedLine as_bytes(std::span<const std::uint8_t> code, std::size_t at, std::size_t count, std::uint32_t address) {
    DecodedLine line;
    line.address = address + static_cast<std::uint32_t>(at);
    line.bytes.assign(code.begin() + static_cast<std::ptrdiff_t>(at), code.begin() + static_cast<std::ptrdiff_t>(at + count));
    line.mnemonic = ".byte";
    return line;
}

DecodedLine one(std::span<const std::uint8_t> code, std::size_t at, std::uint32_t address) {
    std::uint32_t operand = 0;
    std::size_t end = at;
    for (;; ++end) {
        if (end == code.size() || end - at == most_length) return as_bytes(code, at, 1, address);
        operand |= code[end] & 0xFU;
        const std::uint8_t function = code[end] >> 4;
        if (function != code_pfix && function != code_nfix) break;
        operand = function == code_pfix ? operand << 4 : ~operand << 4;
    }
    DecodedLine line = as_bytes(code, at, end + 1 - at, address);
    const std::uint8_t function = code[end] >> 4;
    if (function == code_opr) {
        const auto name = find(Kind::Operation, operand);
        if (!name) return line;
        line.mnemonic = name->text;
        if (!name->on_t800) line.note = "not on a T800";
        return line;
    }
    line.mnemonic = find(Kind::Function, function)->text;
    line.operand = static_cast<std::int32_t>(operand);
    if (function == code_j || function == code_cj || function == code_call)
        line.target = line.address + static_cast<std::uint32_t>(line.bytes.size()) + operand;
    return line;
}

}  // namespace

std::vector<DecodedLine> disassemble(std::span<const std::uint8_t> code, std::uint32_t address) {
    std::vector<DecodedLine> lines;
    for (std::size_t at = 0; at < code.size();) {
        lines.push_back(one(code, at, address));
        at += lines.back().bytes.size();
        const std::size_t count = lines.size();
        if (count < 2 || lines.back().mnemonic != "fpentry" || lines[count - 2].mnemonic != "ldc") continue;
        const auto entry = find(Kind::FloatingEntry, static_cast<std::uint32_t>(*lines[count - 2].operand));
        if (entry) lines.back().note = entry->text;
    }
    return lines;
}

std::vector<ImagePart> disassemble_image(std::span<const std::uint8_t> image) {
    if (image.empty()) throw vocabulary::RequestError("the image is empty");
    const std::size_t length = image[0];
    if (length < 2) {
        throw vocabulary::RequestError(
            fmt::format("the image begins with {}, which is a {} and no boot message; --raw takes the file as code", length,
                        length == 0 ? "poke" : "peek"));
    }
    if (image.size() - 1 < length) {
        throw vocabulary::RequestError(
            fmt::format("the image is cut: its first byte counts {} bytes of code, but {} follow", length, image.size() - 1));
    }
    std::vector<ImagePart> parts{{1, "code", t800_core::reserved::mem_start, {}}};
    const auto code = image.subspan(1, length);
    parts[0].lines = disassemble(code, t800_core::reserved::mem_start);
    const auto rest = image.subspan(1 + length);
    if (rest.empty()) return parts;
    const bool is_own = std::equal(code.begin(), code.end(), loader().code.begin(), loader().code.end()) && rest.size() >= 4;
    if (is_own) {
        parts[0].name = "loader";
        parts.push_back({1 + length + 4, "program", loaded_address(), disassemble(rest.subspan(4), loaded_address())});
    } else {
        parts.push_back({1 + length, "data", 0, {}});
        for (std::size_t at = 0; at < rest.size(); at += 16) {
            parts[1].lines.push_back(as_bytes(rest, at, std::min<std::size_t>(16, rest.size() - at), 0));
        }
    }
    return parts;
}

}  // namespace t800_assembly
