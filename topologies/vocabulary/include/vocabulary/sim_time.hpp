// Modelled time and processor cycles. SimTime counts picoseconds; the range is plus or minus 106 days. The unit is fine enough
// for a cycle of 33.3 ns and for a clock that drifts by one part per million. Wall-clock time has no type here: it never
// reaches an output.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace vocabulary {

class SimTime {
public:
    constexpr SimTime() = default;
    static constexpr SimTime ps(std::int64_t n) { return SimTime(n); }
    static constexpr SimTime ns(std::int64_t n) { return SimTime(n * 1'000); }
    static constexpr SimTime us(std::int64_t n) { return SimTime(n * 1'000'000); }
    static constexpr SimTime ms(std::int64_t n) { return SimTime(n * 1'000'000'000); }
    static constexpr SimTime s(std::int64_t n) { return SimTime(n * 1'000'000'000'000); }
    static constexpr SimTime never() { return SimTime(std::numeric_limits<std::int64_t>::max()); }

    constexpr std::int64_t in_ps() const { return ps_; }
    constexpr std::int64_t in_ns() const { return ps_ / 1'000; }
    constexpr std::int64_t in_us() const { return ps_ / 1'000'000; }
    constexpr double in_seconds() const { return static_cast<double>(ps_) * 1e-12; }

    friend constexpr auto operator<=>(SimTime, SimTime) = default;
    friend constexpr SimTime operator+(SimTime a, SimTime b) { return SimTime(a.ps_ + b.ps_); }
    friend constexpr SimTime operator-(SimTime a, SimTime b) { return SimTime(a.ps_ - b.ps_); }
    friend constexpr SimTime operator*(SimTime a, std::int64_t n) { return SimTime(a.ps_ * n); }
    friend constexpr std::int64_t operator/(SimTime a, SimTime b) { return a.ps_ / b.ps_; }
    constexpr SimTime& operator+=(SimTime other) { return *this = *this + other; }
    constexpr SimTime& operator-=(SimTime other) { return *this = *this - other; }

private:
    constexpr explicit SimTime(std::int64_t ps) : ps_(ps) {}
    std::int64_t ps_ = 0;
};

// Processor clock periods (50 ns on a T800-20). Costs in microseconds are converted to cycles once, at start.
class Cycles {
public:
    constexpr Cycles() = default;
    constexpr explicit Cycles(std::int64_t count) : count_(count) {}
    constexpr std::int64_t count() const { return count_; }
    friend constexpr auto operator<=>(Cycles, Cycles) = default;
    friend constexpr Cycles operator+(Cycles a, Cycles b) { return Cycles(a.count_ + b.count_); }
    friend constexpr Cycles operator-(Cycles a, Cycles b) { return Cycles(a.count_ - b.count_); }
    friend constexpr Cycles operator*(Cycles a, std::int64_t n) { return Cycles(a.count_ * n); }
    constexpr Cycles& operator+=(Cycles other) { return *this = *this + other; }

private:
    std::int64_t count_ = 0;
};

}  // namespace vocabulary
