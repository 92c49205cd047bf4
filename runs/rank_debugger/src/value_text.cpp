#include "value_text.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace rank_debugger {
namespace {

using Json = nlohmann::ordered_json;
using AddressWord = std::function<std::string(std::uintptr_t)>;
constexpr std::size_t most_elements = 200, most_depth = 8;

std::string missing_text(const std::string& why) {
    return "<" + why + ">";
}

template <class Real>
Shown shown_real(Real value) {
    Shown made{fmt::format("{}", value), static_cast<double>(value)};
    if (!std::isfinite(static_cast<double>(value))) made.json = made.text;
    return made;
}

unsigned encoding_of(Dwarf_Die die) {
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_attr_integrate(&die, DW_AT_encoding, &attribute) != nullptr) dwarf_formudata(&attribute, &encoding);
    return static_cast<unsigned>(encoding);
}

bool is_letter_type(const Type& type) {
    auto die = bare(type);
    return die && dwarf_tag(&*die) == DW_TAG_base_type && name_of(*die) == "char";
}

std::string letter_text(unsigned char letter, char quote) {
    constexpr unsigned char first = 0x20, behind = 0x7f;
    if (letter == static_cast<unsigned char>(quote) || letter == '\\') return fmt::format("\\{:c}", letter);
    if (letter == '\n') return "\\n";
    if (letter == '\t') return "\\t";
    if (letter >= first && letter < behind) return std::string(1, static_cast<char>(letter));
    return fmt::format("\\x{:02x}", letter);
}

class Showing {
public:
    Showing(const Activation& in, const AddressWord& address) : in_(in), address_(address) {}

    Shown of(const Value& value, std::size_t depth) const {
        if (!value.missing.empty()) return {missing_text(value.missing), nullptr};
        if (value.whole) return {fmt::format("{}", *value.whole), *value.whole};
        if (value.real) return shown_real(*value.real);
        if (depth > most_depth) return {"{...}", "..."};
        if (is_array(value.type)) return is_letter_type(element_of(value.type)) ? letters(value) : array(value, depth);
        if (is_pointer(value.type)) return pointer(value);
        if (is_record(value.type)) return record(value, depth);
        return plain(value);
    }

private:
    Shown plain(const Value& value) const {
        const auto die = bare(value.type);
        if (!die) return {"<void>", nullptr};
        std::string why;
        const unsigned encoding = encoding_of(*die);
        const auto bytes = bytes_of(value, in_, why);
        if (!bytes) return {missing_text(why), nullptr};
        if (encoding == DW_ATE_complex_float) return complex(*die, *bytes);
        const auto number = number_of(value, in_, why);
        if (!number) return {missing_text(why), nullptr};
        if (number->is_real && bytes->size() == sizeof(float)) {
            const Shown exact = shown_real(static_cast<double>(number->real));
            return {fmt::format("{}", static_cast<float>(number->real)), exact.json};
        }
        if (number->is_real && bytes->size() == sizeof(double)) return shown_real(static_cast<double>(number->real));
        if (number->is_real) return shown_real(number->real);
        if (auto enumeration = *die; dwarf_tag(&enumeration) == DW_TAG_enumeration_type) return enumerator(*die, number->whole);
        if (encoding == DW_ATE_boolean && (number->whole == 0 || number->whole == 1))
            return {number->whole == 0 ? "false" : "true", number->whole != 0};
        if (is_letter_type(value.type))
            return {fmt::format("{} '{}'", number->whole, letter_text(static_cast<unsigned char>(number->whole), '\'')),
                    number->whole};
        if (number->is_unsigned)
            return {fmt::format("{}", static_cast<std::uint64_t>(number->whole)), static_cast<std::uint64_t>(number->whole)};
        return {fmt::format("{}", number->whole), number->whole};
    }
    static Shown complex(Dwarf_Die die, const std::vector<std::byte>& bytes) {
        const std::size_t half = bytes.size() / 2;
        double parts[2] = {};
        for (int i = 0; i < 2; ++i) {
            const std::byte* const from = bytes.data() + (i * half);
            float narrow = 0;
            if (half == sizeof(float)) {
                std::copy_n(from, half, reinterpret_cast<std::byte*>(&narrow));
                parts[i] = static_cast<double>(narrow);
            } else if (half == sizeof(double)) {
                std::copy_n(from, half, reinterpret_cast<std::byte*>(&parts[i]));
            } else {
                return {missing_text("numbers of type " + name_of(die) + " are not shown"), nullptr};
            }
        }
        return {fmt::format("{} + {}i", parts[0], parts[1]), Json::array({parts[0], parts[1]})};
    }
    static Shown enumerator(Dwarf_Die type, std::int64_t number) {
        Dwarf_Die die;
        if (dwarf_child(&type, &die) == 0) {
            do {
                Dwarf_Attribute attribute;
                Dwarf_Sword value = 0;
                if (dwarf_tag(&die) != DW_TAG_enumerator || dwarf_attr(&die, DW_AT_const_value, &attribute) == nullptr)
                    continue;
                if (dwarf_formsdata(&attribute, &value) == 0 && value == number) return {name_of(die), name_of(die)};
            } while (dwarf_siblingof(&die, &die) == 0);
        }
        return {fmt::format("{}", number), number};
    }

    std::string quoted(const std::vector<std::byte>& bytes) const {
        std::string text = "\"";
        const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
        for (auto at = bytes.begin(); at != end; ++at) text += letter_text(static_cast<unsigned char>(*at), '"');
        return text + "\"";
    }
    static std::string without_quotes(const std::string& text) { return text.substr(1, text.size() - 2); }

    Shown letters(const Value& value) const {
        std::string why;
        auto bytes = bytes_of(value, in_, why);
        if (!bytes) return {missing_text(why), nullptr};
        const bool is_cut = bytes->size() > most_elements && std::find(bytes->begin(), bytes->begin() + most_elements,
                                                                       std::byte{0}) == bytes->begin() + most_elements;
        if (bytes->size() > most_elements) bytes->resize(most_elements);
        const std::string text = quoted(*bytes);
        return {text + (is_cut ? "..." : ""), without_quotes(text)};
    }
    Shown array(const Value& value, std::size_t depth) const {
        const auto length = length_of(value.type, in_);
        if (!length) return {missing_text("an array of unknown length; give a range, as [0..9]"), nullptr};
        const Type type = element_of(value.type);
        const std::size_t size = size_of(type, in_);
        Shown made{"{", Json::array()};
        for (std::uint64_t i = 0; i < *length; ++i) {
            if (i == most_elements) {
                made.text += fmt::format(", ... {} more", *length - i);
                break;
            }
            Value element{.type = type};
            if (value.address) element.address = *value.address + (i * size);
            if (!value.address && (i + 1) * size <= value.bytes.size())
                element.bytes.assign(value.bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                                     value.bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
            if (!value.address && element.bytes.empty()) element.missing = "optimized out";
            const Shown one = of(element, depth + 1);
            made.text += (i == 0 ? "" : ", ") + one.text;
            made.json.push_back(one.json);
        }
        made.text += "}";
        return made;
    }
    Shown pointer(const Value& value) const {
        std::string why;
        const auto at = target_of(value, in_, why);
        if (!at) return {missing_text(why), nullptr};
        if (*at == 0) return {"NULL", nullptr};
        const std::string word = address_(*at);
        if (!is_letter_type(element_of(value.type))) return {word, word};
        std::vector<std::byte> bytes;
        for (std::byte one{}; bytes.size() < most_elements && in_.read(*at + bytes.size(), &one, 1); bytes.push_back(one)) {
            if (one == std::byte{0}) return {quoted(bytes), without_quotes(quoted(bytes))};
        }
        if (bytes.size() < most_elements) return {word, word};
        return {quoted(bytes) + "...", without_quotes(quoted(bytes))};
    }
    Shown record(const Value& value, std::size_t depth) const {
        Shown made{"{", Json::object()};
        bool first = true;
        for (const Member& member : members_of(value.type)) {
            Value inner{.type = member.type, .first_bit = member.first_bit, .bits = member.bits};
            if (value.address) {
                inner.address = *value.address + member.offset;
            } else {
                const std::size_t size = size_of(member.type, in_);
                if (member.offset + size <= value.bytes.size())
                    inner.bytes.assign(value.bytes.begin() + static_cast<std::ptrdiff_t>(member.offset),
                                       value.bytes.begin() + static_cast<std::ptrdiff_t>(member.offset + size));
                if (inner.bytes.empty()) inner.missing = "optimized out";
            }
            const Shown one = of(inner, depth + 1);
            const std::string name = member.is_base ? "<" + type_text(member.type) + ">" : member.name;
            made.text += (first ? "" : ", ") + (name.empty() ? "" : name + " = ") + one.text;
            made.json[name] = one.json;
            first = false;
        }
        made.text += "}";
        return made;
    }

    const Activation& in_;
    const AddressWord& address_;
};

}  // namespace

Shown shown(const Value& value, const Activation& in, const AddressWord& address) {
    return Showing(in, address).of(value, 0);
}

}  // namespace rank_debugger
