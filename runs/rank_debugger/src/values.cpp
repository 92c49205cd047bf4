#include "values.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "debug_info.hpp"

namespace rank_debugger {
namespace {

constexpr const char* unreadable = "its memory cannot be read";

// Register variables and values that the compiler has computed.
Value from_pieces(std::vector<Piece> pieces, Value value, const Activation& in) {
    if (pieces.size() == 1 && pieces[0].in == Piece::In::Memory && pieces[0].size == 0) {
        value.address = pieces[0].value;
        return value;
    }
    const std::size_t whole = size_of(value.type, in);
    for (const Piece& piece : pieces) {
        const std::size_t size = piece.size == 0 ? whole : piece.size;
        std::vector<std::byte> bytes(size);
        CodeRegisters::Vector word = {piece.value, 0};
        if (const auto in_vector = in.registers.vector(static_cast<unsigned>(piece.value));
            in_vector && piece.in == Piece::In::Register) {
            word = *in_vector;
        } else if (piece.in == Piece::In::Register) {
            const auto in_register = in.registers.get(static_cast<unsigned>(piece.value));
            if (!in_register)
                return missing_value("optimized out: it lies in a register that the call has not kept", value.type);
            word[0] = *in_register;
        }
        const bool fits = piece.in == Piece::In::Register || piece.in == Piece::In::Value
                              ? size <= sizeof word[0] || (size <= sizeof word && piece.in == Piece::In::Register &&
                                                           piece.value >= CodeRegisters::first_vector)
                          : piece.in == Piece::In::Bytes ? size <= piece.bytes.size()
                                                         : piece.in == Piece::In::Memory;
        if (!fits) return missing_value("optimized out: the compiler has kept a part of it only", value.type);
        if (piece.in == Piece::In::Bytes) {
            std::copy_n(piece.bytes.begin(), size, bytes.begin());
        } else if (piece.in != Piece::In::Memory) {
            std::memcpy(bytes.data(), word.data(), size);
        } else if (!in.read(piece.value, bytes.data(), size)) {
            return missing_value(unreadable, value.type);
        }
        value.bytes.insert(value.bytes.end(), bytes.begin(), bytes.end());
    }
    if (value.bytes.size() < whole) return missing_value("optimized out: the compiler has kept a part of it only", value.type);
    return value;
}

// A constant instead of a place.
std::optional<Value> constant_of(Dwarf_Die variable, Value value, const Activation& in) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&variable, DW_AT_const_value, &attribute) == nullptr) return std::nullopt;
    const std::size_t size = size_of(value.type, in);
    Dwarf_Block block;
    Dwarf_Sword number = 0;
    if (dwarf_formblock(&attribute, &block) == 0) {
        const auto* const from = reinterpret_cast<const std::byte*>(block.data);
        value.bytes.assign(from, from + block.length);
    } else if (dwarf_formsdata(&attribute, &number) == 0 && size <= sizeof number) {
        value.bytes.resize(size);
        std::memcpy(value.bytes.data(), &number, size);
    }
    return value.bytes.empty() || value.bytes.size() < size ? std::nullopt : std::optional(value);
}

}  // namespace

Value missing_value(std::string why, Type type) {
    Value value{.type = type};
    value.missing = std::move(why);
    return value;
}
Value whole_value(std::int64_t number) {
    Value value;
    value.whole = number;
    return value;
}
Value real_value(double number) {
    Value value;
    value.real = number;
    return value;
}

Value value_of(Dwarf_Die variable, const Activation& in) {
    const Value value{.type = {.die = type_of(variable)}};
    if (auto constant = constant_of(variable, value, in)) return *constant;
    std::string why;
    auto pieces = location_of(variable, in, why);
    return pieces ? from_pieces(std::move(*pieces), value, in) : missing_value(why, value.type);
}

std::optional<std::vector<std::byte>> bytes_of(const Value& value, const Activation& in, std::string& why) {
    why = value.missing;
    if (!why.empty()) return std::nullopt;
    if (!value.address) return value.bytes;
    const std::size_t size = size_of(value.type, in);
    if (size == 0) {
        why = "the size of its type is not known";
        return std::nullopt;
    }
    constexpr std::size_t most = std::size_t{1} << 30;
    if (size > most) {
        why = "it is too large to be printed";
        return std::nullopt;
    }
    std::vector<std::byte> bytes(size);
    if (in.read(*value.address, bytes.data(), size)) return bytes;
    why = unreadable;
    return std::nullopt;
}

namespace {

template <class Of>
Of as(const std::vector<std::byte>& bytes) {
    Of value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

std::optional<long double> real_in(const std::vector<std::byte>& bytes) {
    constexpr std::size_t of_long_double = 16;
    if (bytes.size() == sizeof(float)) return as<float>(bytes);
    if (bytes.size() == sizeof(double)) return as<double>(bytes);
    if (bytes.size() == of_long_double) return as<long double>(bytes);
    return std::nullopt;
}

std::int64_t whole_in(const std::vector<std::byte>& bytes, const Value& value, bool is_unsigned) {
    constexpr unsigned all = 64, byte = 8;
    auto word = as<std::uint64_t>(bytes);
    const unsigned bits = value.bits.value_or(static_cast<unsigned>(std::min<std::size_t>(bytes.size(), sizeof word) * byte));
    word >>= value.first_bit.value_or(0);
    if (bits == 0 || bits >= all) return static_cast<std::int64_t>(word);
    word <<= all - bits;
    return is_unsigned ? static_cast<std::int64_t>(word >> (all - bits)) : static_cast<std::int64_t>(word) >> (all - bits);
}

}  // namespace

std::optional<Number> number_of(const Value& value, const Activation& in, std::string& why) {
    if (value.whole) return Number{.whole = *value.whole};
    if (value.real) return Number{.is_real = true, .real = *value.real};
    if (is_array(value.type) || is_pointer(value.type)) {
        const auto at = target_of(value, in, why);
        if (!at) return std::nullopt;
        return Number{.is_unsigned = true, .whole = static_cast<std::int64_t>(*at)};
    }
    auto die = bare(value.type);
    if (!die || is_record(value.type)) {
        why = value.missing.empty() ? "it is no number" : value.missing;
        return std::nullopt;
    }
    const auto bytes = bytes_of(value, in, why);
    if (!bytes) return std::nullopt;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_attr_integrate(&*die, DW_AT_encoding, &attribute) != nullptr) dwarf_formudata(&attribute, &encoding);
    if (dwarf_tag(&*die) == DW_TAG_enumeration_type) {
        const Type under{.die = type_of(*die)};
        Value plain = value;
        plain.type = under;
        if (under.die) return number_of(plain, in, why);
        return Number{.whole = whole_in(*bytes, value, false)};
    }
    if (encoding == DW_ATE_float) {
        const auto real = real_in(*bytes);
        if (!real) why = "a number of this size is not known";
        return real ? std::optional(Number{.is_real = true, .real = *real}) : std::nullopt;
    }
    const bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    const bool is_whole = is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
                          encoding == DW_ATE_boolean || encoding == DW_ATE_UTF || encoding == DW_ATE_address;
    if (!is_whole || bytes->size() > sizeof(std::uint64_t)) {
        why = "it is no number of a known kind";
        return std::nullopt;
    }
    return Number{.is_unsigned = !is_signed, .whole = whole_in(*bytes, value, !is_signed)};
}

std::optional<std::uintptr_t> target_of(const Value& value, const Activation& in, std::string& why) {
    if (is_array(value.type)) {
        why = value.missing.empty() ? "it does not lie in memory" : value.missing;
        return value.address;
    }
    const auto bytes = bytes_of(value, in, why);
    if (!bytes) return std::nullopt;
    return as<std::uintptr_t>(*bytes);
}

}  // namespace rank_debugger
