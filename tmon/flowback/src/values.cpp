#include <tmon_flowback/values.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace tmon_flowback {
namespace {

constexpr std::size_t most_elements = 8;

template <class Number>
Number number_of(std::span<const std::byte> bytes) {
    Number result{};
    std::memcpy(&result, bytes.data(), std::min(sizeof result, bytes.size()));
    return result;
}

std::int64_t whole(std::span<const std::byte> bytes) {
    switch (bytes.size()) {
        case 1:
            return number_of<std::int8_t>(bytes);
        case 2:
            return number_of<std::int16_t>(bytes);
        case 4:
            return number_of<std::int32_t>(bytes);
        default:
            return number_of<std::int64_t>(bytes);
    }
}

std::string floating(std::span<const std::byte> bytes) {
    if (bytes.size() == 4) return fmt::format("{}", number_of<float>(bytes));
    if (bytes.size() == 8) return fmt::format("{}", number_of<double>(bytes));
    return fmt::format("{}", static_cast<double>(number_of<long double>(bytes)));
}

std::string raw(std::span<const std::byte> bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size() && i < 16; ++i)
        text += fmt::format("{}{:02x}", i == 0 ? "" : " ", std::to_integer<unsigned>(bytes[i]));
    return text + (bytes.size() > 16 ? " ..." : "");
}

std::string characters(std::span<const std::byte> bytes) {
    std::string text = "\"";
    for (std::size_t i = 0; i < bytes.size() && i < 40 && bytes[i] != std::byte{0}; ++i) {
        const auto c = std::to_integer<unsigned char>(bytes[i]);
        if (c >= 32 && c < 127 && c != '"' && c != '\\')
            text += static_cast<char>(c);
        else
            text += fmt::format("\\x{:02x}", c);
    }
    return text + "\"";
}

std::string character(std::span<const std::byte> bytes, bool is_signed) {
    const auto c = std::to_integer<unsigned char>(bytes[0]);
    const std::int64_t number = is_signed ? whole(bytes) : c;
    if (c >= 32 && c < 127) return fmt::format("{} '{}'", number, static_cast<char>(c));
    return fmt::format("{}", number);
}

}  // namespace

std::string value_text(std::span<const std::byte> bytes, ValueKind kind) {
    if (bytes.empty()) return "";
    if (kind == ValueKind::Whole && bytes.size() <= 8) return fmt::format("{}", whole(bytes));
    if (kind == ValueKind::Floating && bytes.size() <= 16) return floating(bytes);
    if (kind == ValueKind::Address && bytes.size() == 8) return fmt::format("{:#x}", number_of<std::uint64_t>(bytes));
    return raw(bytes);
}

namespace {

constexpr unsigned most_depth = 16;  // of types in types; a damaged file may have a type in itself

std::string typed_text(const PreparedProgram& program, std::span<const std::byte> bytes, int id, unsigned depth) {
    const Type& type = program.type(id);
    constexpr std::size_t long_double = 10;
    if (type.kind == "float" && bytes.size() >= long_double) return floating(bytes.first(long_double));
    if (bytes.empty() || type.bytes == 0 || bytes.size() < type.bytes || depth > most_depth) return raw(bytes);
    const auto own = bytes.first(type.bytes);
    if (type.kind == "signed") return fmt::format("{}", whole(own));
    if (type.kind == "unsigned") return fmt::format("{}", number_of<std::uint64_t>(own));
    if (type.kind == "bool") return whole(own) != 0 ? "true" : "false";
    if (type.kind == "char" || type.kind == "unsigned_char") return character(own, type.kind == "char");
    if (type.kind == "float") return floating(own);
    if (type.kind == "pointer") return fmt::format("{:#x}", number_of<std::uint64_t>(own));
    if (type.kind == "array") {
        const Type& element = program.type(type.base);
        if (element.kind == "char") return characters(own);
        std::string text = "{";
        for (std::size_t i = 0; element.bytes > 0 && (i + 1) * element.bytes <= own.size(); ++i) {
            if (i == most_elements) return text + ", ...}";
            text +=
                (i == 0 ? "" : ", ") + typed_text(program, own.subspan(i * element.bytes, element.bytes), type.base, depth + 1);
        }
        return text + "}";
    }
    if (type.kind != "struct" && type.kind != "union") return raw(own);
    std::string text = "{";
    for (const Type::Member& member : type.members) {
        const std::uint64_t size = program.type(member.type).bytes;
        if (member.offset + size > own.size()) continue;
        text += (text.size() == 1 ? "" : ", ") + member.name + " = " +
                typed_text(program, own.subspan(member.offset, size), member.type, depth + 1);
        if (text.size() > 200) return text + ", ...}";
    }
    return text + "}";
}

}  // namespace

std::string value_text(const PreparedProgram& program, std::span<const std::byte> bytes, int type) {
    return typed_text(program, bytes, type, 0);
}

namespace {

Named part_at(const PreparedProgram& program, int id, std::uint64_t offset, std::uint64_t bytes, unsigned depth) {
    const Type& type = program.type(id);
    const Named whole_object{"", id, 0, type.bytes};
    if ((type.bytes == bytes && offset == 0) || depth > most_depth) return whole_object;
    if (type.kind == "array" && type.base != 0) {
        const std::uint64_t size = program.type(type.base).bytes;
        if (size == 0 || offset / size != (offset + bytes - 1) / size) return whole_object;
        Named part = part_at(program, type.base, offset % size, bytes, depth + 1);
        part.name = fmt::format("[{}]", offset / size) + part.name;
        part.begin += offset / size * size;
        return part;
    }
    for (const Type::Member& member : type.members) {
        const std::uint64_t size = program.type(member.type).bytes;
        if (offset < member.offset || offset + bytes > member.offset + size) continue;
        Named part = part_at(program, member.type, offset - member.offset, bytes, depth + 1);
        part.name = "." + member.name + part.name;
        part.begin += member.offset;
        return part;
    }
    return whole_object;
}

}  // namespace

Named part_of(const PreparedProgram& program, int type, std::uint64_t offset, std::uint64_t bytes) {
    return part_at(program, type, offset, bytes, 0);
}

namespace {

Named inside(const PreparedProgram& program, const std::string& name, int type, std::uint64_t begin, std::uint64_t address,
             std::uint64_t bytes) {
    Named part = part_of(program, type, address - begin, bytes);
    part.name = name + part.name;
    part.begin += begin;
    return part;
}

}  // namespace

Named name_of(RecordedRun& run, const EventId& before, std::uint64_t address, std::uint64_t bytes) {
    const PreparedProgram& program = run.program();
    const ProcessLog& log = run.process(before.process);
    if (const std::uint32_t global = log.global_at(address); global != nothing) {
        const Global& its = program.globals()[global];
        if (its.type != 0) return inside(program, its.name, its.type, log.address_of(global), address, bytes);
        return {its.constant ? "a constant" : its.name, 0, log.address_of(global), its.bytes};
    }
    // The latest variable there, in this interval and then in those around it.
    std::uint32_t interval = before.interval;
    for (std::uint32_t until = before.event; interval != nothing;) {
        const Emulation& emulation = run.emulation(before.process, interval);
        for (std::size_t i = std::min<std::size_t>(until, emulation.events().size()); i-- > 0;) {
            const Event& event = emulation.events()[i];
            if (program.kind(event.site) != SiteKind::Variable) continue;
            if (address < event.address || address + bytes > event.address + event.bytes) continue;
            const LocalVariable* variable = program.variable_of(event.site);
            if (variable == nullptr) return {compilers_variable, 0, event.address, event.bytes};
            return inside(program, variable->name, variable->type, event.address, address, bytes);
        }
        interval = log.intervals()[interval].parent;
        until = nothing;
    }
    return {fmt::format("memory at {:#x}", address), 0, address, bytes};
}

}  // namespace tmon_flowback
