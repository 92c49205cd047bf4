#include "quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <topologies/strict_yaml.hpp>

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SimTime;
using vocabulary::SourcePosition;

struct Unit {
    std::string_view name;
    std::uint64_t scale;
};

constexpr std::array<Unit, 5> time_units{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
constexpr std::array<Unit, 4> size_units{{{"bytes", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}}};
constexpr std::array<Unit, 8> frequency_units{{{"Hz", 1},
                                               {"kHz", 1'000},
                                               {"MHz", 1'000'000},
                                               {"GHz", 1'000'000'000},
                                               {"bit/s", 1},
                                               {"kbit/s", 1'000},
                                               {"Mbit/s", 1'000'000},
                                               {"Gbit/s", 1'000'000'000}}};

// The values that a kind of quantity accepts, and the words for its messages.
struct Kind {
    std::string_view noun;       // "time"
    std::string_view plural;     // "times"
    std::string_view example;    // "20us"
    std::string_view unit_list;  // "ps, ns, us, ms or s"
    std::string_view smallest;   // "picoseconds"
    std::span<const Unit> units;
    bool unit_required;
};

constexpr Kind time_kind{"time", "times", "20us", "ps, ns, us, ms or s", "picoseconds", time_units, true};
constexpr Kind size_kind{"size", "sizes", "4MiB", "bytes, KiB, MiB or GiB", "bytes", size_units, false};
constexpr Kind frequency_kind{"frequency", "frequencies",   "20MHz", "Hz, kHz, MHz, GHz, bit/s, kbit/s, Mbit/s or Gbit/s",
                              "hertz",     frequency_units, true};

// mantissa / 10^decimals unit
struct Quantity {
    bool negative = false;
    std::uint64_t mantissa = 0;
    unsigned decimals = 0;
    std::string unit;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Digits with at most one point among them; empty when there is no digit or the number has more than 18 of them.
std::optional<Quantity> split(std::string_view text) {
    Quantity result;
    if (text.starts_with('-') || text.starts_with('+')) {
        result.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    std::size_t digits = 0;
    bool point = false;
    while (!text.empty() && (is_digit(text.front()) || (text.front() == '.' && !point))) {
        if (text.front() == '.') {
            point = true;
        } else {
            if (++digits > 18) return std::nullopt;
            result.mantissa = result.mantissa * 10 + static_cast<std::uint64_t>(text.front() - '0');
            if (point) ++result.decimals;
        }
        text.remove_prefix(1);
    }
    if (digits == 0) return std::nullopt;
    while (text.starts_with(' ')) text.remove_prefix(1);
    result.unit = std::string(text);
    return result;
}

std::uint64_t power_of_ten(unsigned exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; --exponent) result *= 10;
    return result;
}

// Takes the common tens out first, so that "1.123456789012s" does not overflow on the way.
std::uint64_t scaled(const Quantity& quantity, std::uint64_t scale, std::uint64_t most, const std::string& text,
                     const Kind& kind, const SourcePosition& where) {
    std::uint64_t mantissa = quantity.mantissa;
    unsigned decimals = quantity.decimals;
    for (; decimals > 0 && mantissa % 10 == 0; --decimals) mantissa /= 10;
    for (; decimals > 0 && scale % 10 == 0; --decimals) scale /= 10;
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(mantissa, scale, &product) || product / power_of_ten(decimals) > most) {
        throw InputError(where, fmt::format("'{}' is too large a {}; write a smaller one", text, kind.noun));
    }
    if (product % power_of_ten(decimals) != 0) {
        throw InputError(where, fmt::format("'{}' is not a whole number of {}; write fewer decimals", text, kind.smallest));
    }
    return product / power_of_ten(decimals);
}

bool is_ambiguous_size(const std::string& unit) {
    return unit == "kB" || unit == "KB" || unit == "MB" || unit == "GB" || unit == "k" || unit == "K" || unit == "M" ||
           unit == "G";
}

std::uint64_t scale_of(const Quantity& quantity, const std::string& text, const Kind& kind, const SourcePosition& where) {
    if (quantity.unit.empty() && !kind.unit_required) return 1;
    if (quantity.unit.empty()) {
        throw InputError(where, fmt::format("'{}' has no unit; write {}, as in '{}'", text, kind.unit_list, kind.example));
    }
    const auto unit =
        std::find_if(kind.units.begin(), kind.units.end(), [&](const Unit& u) { return u.name == quantity.unit; });
    if (unit != kind.units.end()) return unit->scale;
    if (&kind == &size_kind && is_ambiguous_size(quantity.unit)) {
        throw InputError(where, fmt::format("'{}' may count in 1000 or in 1024; write {}iB for 1024, or a number of bytes",
                                            text, static_cast<char>(quantity.unit[0] == 'k' ? 'K' : quantity.unit[0])));
    }
    throw InputError(where, fmt::format("'{}' has the unknown unit '{}'; write {}, as in '{}'", text, quantity.unit,
                                        kind.unit_list, kind.example));
}

std::uint64_t parse_quantity(const std::string& text, const Kind& kind, const SourcePosition& where) {
    const auto quantity = split(text);
    if (!quantity) {
        throw InputError(
            where, fmt::format("'{}' is not a {}; write a number and its unit, as in '{}'", text, kind.noun, kind.example));
    }
    if (quantity->negative) {
        throw InputError(where, fmt::format("'{}' is negative, but {} start at 0; write 0 or more, as in '{}'", text,
                                            kind.plural, kind.example));
    }
    const std::uint64_t scale = scale_of(*quantity, text, kind, where);
    return scaled(*quantity, scale, std::numeric_limits<std::int64_t>::max() - 1, text, kind, where);
}

// The largest of the units that divides the value.
std::string shortest(std::uint64_t value, std::span<const Unit> units) {
    const Unit* best = &units.front();
    for (const Unit& unit : units) {
        if (value != 0 && value % unit.scale == 0) best = &unit;
    }
    return fmt::format("{}{}", value / best->scale, best->name);
}

}  // namespace

SimTime parse_time(const std::string& text, const SourcePosition& where) {
    return SimTime::ps(static_cast<std::int64_t>(parse_quantity(text, time_kind, where)));
}

std::uint64_t parse_byte_size(const std::string& text, const SourcePosition& where) {
    return parse_quantity(text, size_kind, where);
}

std::int64_t parse_frequency_hz(const std::string& text, const SourcePosition& where) {
    return static_cast<std::int64_t>(parse_quantity(text, frequency_kind, where));
}

std::string time_text(SimTime time) {
    return shortest(static_cast<std::uint64_t>(time.in_ps()), time_units);
}
std::string byte_size_text(std::uint64_t bytes) {
    return bytes % 1024 == 0 ? shortest(bytes, size_units) : fmt::format("{} bytes", bytes);
}
std::string frequency_text(std::int64_t hz) {
    return shortest(static_cast<std::uint64_t>(hz), std::span(frequency_units).first(4));
}
std::string bit_rate_text(std::int64_t bits_per_second) {
    return shortest(static_cast<std::uint64_t>(bits_per_second), std::span(frequency_units).last(4));
}

}  // namespace topologies
