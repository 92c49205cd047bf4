// Modelled time for people, in s, ms or us.
#pragma once

#include <string>

#include <fmt/format.h>

#include <vocabulary/sim_time.hpp>

namespace text {

inline std::string time_text(vocabulary::SimTime t) {
    using vocabulary::SimTime;
    if (t >= SimTime::s(1)) return fmt::format("{:.6f} s", t.in_seconds());
    if (t >= SimTime::ms(1)) return fmt::format("{:.3f} ms", static_cast<double>(t.in_ps()) * 1e-9);
    return fmt::format("{:.3f} us", static_cast<double>(t.in_ps()) * 1e-6);
}

}  // namespace text
