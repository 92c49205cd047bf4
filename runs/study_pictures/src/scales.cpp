#include <study_pictures/scales.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

namespace study_pictures {
namespace {

enum class Kind { Number, Time, Size, Frequency };
struct Quantity {
    Kind kind;
    double value;  // s, bytes, Hz
};

std::optional<double> plain(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

template <class Read>
std::optional<double> without_error(const Read& read) {
    try {
        return read();
    } catch (const vocabulary::InputError&) {
        return std::nullopt;
    }
}

std::optional<Quantity> quantity(const std::string& text) {
    if (const auto number = plain(text)) return Quantity{Kind::Number, *number};
    // Everything else begins with a digit, and names that do are no quantities.
    if (text.empty() || text.find_first_of("0123456789") != 0) return std::nullopt;
    const topologies::YamlValue value = topologies::YamlValue::parse("\"" + text + "\"", "value");
    if (const auto time = without_error([&] { return value.time().in_seconds(); })) return Quantity{Kind::Time, *time};
    if (const auto size = without_error([&] { return static_cast<double>(value.byte_size()); }))
        return Quantity{Kind::Size, *size};
    if (const auto hertz = without_error([&] { return static_cast<double>(value.frequency_hz()); }))
        return Quantity{Kind::Frequency, *hertz};
    return std::nullopt;
}

using Units = std::vector<std::pair<const char*, double>>;  // longest first
const Units& units_of(Kind kind) {
    static const std::array<Units, 4> all{{{{"", 1}},
                                           {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}},
                                           {{"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"bytes", 1}},
                                           {{"GHz", 1e9}, {"MHz", 1e6}, {"kHz", 1e3}, {"Hz", 1}}}};
    return all[static_cast<std::size_t>(kind)];
}

}  // namespace

std::optional<NumberedValues> numbered(const std::vector<std::string>& values) {
    std::vector<Quantity> all;
    for (const std::string& text : values) {
        const auto one = text.find_first_of("\"\\\n") == std::string::npos ? quantity(text) : std::nullopt;
        if (!one || (!all.empty() && one->kind != all.front().kind)) return std::nullopt;
        all.push_back(*one);
    }
    if (all.empty()) return std::nullopt;
    const Units& units = units_of(all.front().kind);
    const auto fits = [&](const auto& unit) {
        return std::all_of(all.begin(), all.end(),
                           [&](const Quantity& one) { return one.value == 0 || one.value >= unit.second * (1 - 1e-9); });
    };
    const auto unit = all.front().kind == Kind::Number ? units.begin() : std::find_if(units.begin(), units.end(), fits);
    const auto& [name, size] = unit == units.end() ? units.back() : *unit;
    NumberedValues result{{}, name};
    for (const Quantity& one : all) result.numbers.push_back(one.value / size);
    return result;
}

std::string unit_of(const std::string& source) {
    static constexpr std::array<std::pair<const char*, const char*>, 10> endings{{{"_per_second", "1/s"},
                                                                                  {"_per_s", "1/s"},
                                                                                  {"_us", "us"},
                                                                                  {"_ms", "ms"},
                                                                                  {"_ns", "ns"},
                                                                                  {"_s", "s"},
                                                                                  {"_share", "share"},
                                                                                  {"_bytes", "bytes"},
                                                                                  {"_seconds", "s"},
                                                                                  {"_cycles", "cycles"}}};
    if (source.starts_with('=')) return {};
    for (const auto& [ending, unit] : endings)
        if (source.ends_with(ending)) return unit;
    return {};
}

std::string label_of(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + " (" + unit + ")";
}

}  // namespace study_pictures
