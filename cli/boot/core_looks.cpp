#include "boot/core_looks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include <t800_assembly/disassembler.hpp>
#include <t800_core/registers.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/nearest_name.hpp>

#include "boot/numbers.hpp"

namespace cli {

using t800_assembly::DecodedLine;
using t800_core::Core;
using t800_core::Registers;

namespace {

std::vector<std::uint8_t> bytes_at(const Core& core, std::uint32_t address, std::size_t most) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < most && core.is_memory(address + static_cast<std::uint32_t>(i), 1); ++i)
        bytes.push_back(std::to_integer<std::uint8_t>(core.memory()[address + i - t800_core::min_int]));
    return bytes;
}

std::vector<DecodedLine> lines_at(const Core& core, std::uint32_t address, std::size_t count) {
    static constexpr std::size_t longest = 16;
    std::vector<DecodedLine> lines = t800_assembly::disassemble(bytes_at(core, address, count * longest), address);
    if (lines.size() > count) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(count), lines.end());
    return lines;
}

std::string text_of(const DecodedLine& line, const Core& core, const CoreLabels& labels) {
    std::string text = line.mnemonic;
    if (line.target) {
        const std::string label = labels.at(core, *line.target);
        text += fmt::format(" #{:08X}{}", *line.target, label.empty() ? "" : " (" + label + ")");
    } else if (line.operand) {
        text += fmt::format(" {}", *line.operand);
    }
    return line.note.empty() ? text : text + "  ; " + line.note;
}

std::string process_text(std::uint32_t descriptor) {
    return fmt::format("process #{:08X} ({} priority)", descriptor & ~3U, (descriptor & 1U) != 0 ? "low" : "high");
}

std::string real_text(const t800_core::Real& real) {
    if (real.is_double) return fmt::format("#{:016X} ({:.17g})", real.bits, std::bit_cast<double>(real.bits));
    const auto bits = static_cast<std::uint32_t>(real.bits);
    return fmt::format("#{:08X} ({:.9g})", bits, std::bit_cast<float>(bits));
}

}  // namespace

std::string CoreLabels::at(const Core& core, std::uint32_t address) const {
    if (!program_ || address - program_->origin >= program_->code.size()) return {};
    const auto& code = program_->code;
    const std::size_t offset = address - program_->origin, count = std::min<std::size_t>(code.size() - offset, 8);
    const std::vector<std::uint8_t> there = bytes_at(core, address, count);
    if (!std::equal(there.begin(), there.end(), code.begin() + static_cast<std::ptrdiff_t>(offset),
                    code.begin() + static_cast<std::ptrdiff_t>(offset + count)))
        return {};
    return t800_assembly::text_of(t800_assembly::labelled_place(*program_, address));
}

std::uint32_t CoreLabels::address_of(const std::string& word) const {
    if (const auto value = address_in(word)) return *value;
    const std::size_t plus = word.find('+');
    const std::string name = word.substr(0, plus);
    const auto more = plus == std::string::npos ? std::optional(0U) : number_in<std::uint32_t>(word.substr(plus + 1));
    std::vector<std::string> names;
    for (const t800_assembly::Symbol& symbol : program_ ? program_->symbols : std::vector<t800_assembly::Symbol>{}) {
        if (symbol.name == name && more) return symbol.value + *more;
        names.push_back(symbol.name);
    }
    throw vocabulary::RequestError(
        fmt::format("'{}' is no place{}; give an address such as #80000070{}", word, vocabulary::did_you_mean(name, names),
                    names.empty() ? " (an image has no labels; a source NAME.s has)" : ", or a label of the source"));
}

std::string instruction_at(const Core& core, const CoreLabels& labels, std::uint32_t address) {
    const std::vector<DecodedLine> lines = lines_at(core, address, 1);
    const std::string label = labels.at(core, address);
    return fmt::format("#{:08X}{}{}{}", address, label.empty() ? "" : " ", label,
                       lines.empty() ? "" : ": " + text_of(lines.front(), core, labels));
}

std::string core_code(const Core& core, const CoreLabels& labels, std::uint32_t address, std::size_t count) {
    std::string text;
    for (const DecodedLine& line : lines_at(core, address, count)) {
        std::string hex;
        for (const std::uint8_t byte : line.bytes) hex += fmt::format("{:02X}", byte);
        text += fmt::format("{} #{:08X}  {:<12} {:<12} {}\n",
                            core.registers().running && line.address == core.registers().iptr ? '>' : ' ', line.address, hex,
                            labels.at(core, line.address), text_of(line, core, labels));
    }
    return text;
}

std::string core_registers(const Core& core) {
    const Registers& r = core.registers();
    std::string text;
    text += fmt::format("A #{:08X} ({})  B #{:08X} ({})  C #{:08X} ({})\n", r.a, static_cast<std::int32_t>(r.a), r.b,
                        static_cast<std::int32_t>(r.b), r.c, static_cast<std::int32_t>(r.c));
    const t800_core::FloatingState& fpu = r.floating[r.priority & 1U];
    text += fmt::format("FA {}  FB {}  FC {}\n", real_text(fpu.stack[0]), real_text(fpu.stack[1]), real_text(fpu.stack[2]));
    return text + fmt::format("Error {}  HaltOnError {}  FP_Error {}  clocks {} us, {} units of 64 us\n",
                              r.error ? "set" : "clear", r.halt_on_error ? "set" : "clear", fpu.error ? "set" : "clear",
                              core.clock(0), core.clock(1));
}

std::string core_memory(const Core& core, std::uint32_t address, std::size_t words) {
    std::string text;
    address &= ~3U;
    for (std::size_t i = 0; i < words; i += 4) {
        std::string line, signs;
        for (std::size_t k = i; k < std::min(i + 4, words); ++k) {
            const std::uint32_t at = address + static_cast<std::uint32_t>(4 * k);
            if (!core.is_memory(at, 4)) {
                line += " no memory";
                break;
            }
            const std::uint32_t word = core.word(at);
            line += fmt::format(" {:08X}", word);
            for (std::uint32_t byte = 0; byte < 4; ++byte) {
                const auto sign = static_cast<unsigned char>(word >> (8 * byte));
                signs += sign >= 0x20 && sign < 0x7F ? static_cast<char>(sign) : '.';
            }
        }
        text += fmt::format("#{:08X} {:<36}  {}\n", address + static_cast<std::uint32_t>(4 * i), line, signs);
    }
    return text;
}

std::string core_processes(const Core& core, const CoreLabels& labels) {
    static constexpr std::size_t most = 1000;  // code may have tied a queue into a ring
    const Registers& r = core.registers();
    std::string text;
    if (r.running)
        text += fmt::format("  {} runs at {}\n", process_text(r.wptr | r.priority), instruction_at(core, labels, r.iptr));
    if (r.low_cut && (core.word(t800_core::reserved::saved_wdesc) & ~3U) != t800_core::not_process)
        text += fmt::format("  {} was cut at {}\n", process_text(core.word(t800_core::reserved::saved_wdesc)),
                            instruction_at(core, labels, core.word(t800_core::reserved::saved_iptr)));
    for (std::uint32_t priority = 0; priority < 2; ++priority) {
        std::uint32_t at = r.front[priority];
        for (std::size_t i = 0; i < most && at != t800_core::not_process && core.is_memory(at - 8, 8); ++i) {
            text += fmt::format("  {} is ready at {}\n", process_text(at | priority),
                                instruction_at(core, labels, core.word(at - 4)));
            if (at == r.back[priority]) break;
            at = core.word(at - 8);
        }
    }
    return text;
}

}  // namespace cli
