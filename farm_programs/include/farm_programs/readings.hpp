// Readings: values that a farm program reads and no message brings. They come from its node's clock and from the input stream.
// A run that records class user keeps them as records of it (Lin 1993, section 7.2.1). Each is charged like any other record.
//
// A clock reading is one record with its value. It is made at the program's next call that may take modelled time. A read of
// the input is one record with the number of bytes, and one for each 8 bytes of them, the first byte lowest.
#pragma once

#include <cstdint>
#include <optional>

#include <farm_programs/farm_program.hpp>

namespace farm_programs {

enum class Reading : std::uint8_t { Clock, InputLength, InputBytes };

// Numbers of user events from here on are not for programs.
inline constexpr std::uint32_t first_reading = 0xFFFF0000U;

constexpr std::uint32_t reading_number(Function function, Reading what) {
    return first_reading + 4 * static_cast<std::uint32_t>(function) + static_cast<std::uint32_t>(what);
}

struct ReadingOf {
    Function function = Function::Compute;
    Reading what = Reading::Clock;
};
// Empty: a user event of the program.
constexpr std::optional<ReadingOf> reading_of(std::uint32_t number) {
    if (number < first_reading || number >= first_reading + 4 * functions || number % 4 > 2) return std::nullopt;
    return ReadingOf{static_cast<Function>((number - first_reading) / 4), static_cast<Reading>(number % 4)};
}

}  // namespace farm_programs
