// InterruptCounter: finds the number of a global interrupt that a node has just taken. A process that comes late to its event
// channel finds one event for two interrupts, so counting events would give wrong numbers. Clocks fitted to wrong numbers are
// wrong. Interrupts come periodically, so the node's own clock gives their number.
#pragma once

#include <cstdint>
#include <optional>

namespace instrumentation {

class InterruptCounter {
public:
    explicit InterruptCounter(std::uint64_t period_us) : period_us_(period_us) {}

    // An interrupt was taken when the node's clock showed `clock_us`. Returns its number; the first is 0. Empty when it was
    // taken so late that its number is ambiguous or already given. After a silence of more than `most_silence` periods the
    // clocks may have drifted too far apart: every later answer is empty. An interrupt may be taken late, never early.
    std::optional<std::uint32_t> take(std::uint64_t clock_us);

    static constexpr std::uint64_t most_silence = 200;

private:
    static constexpr std::int64_t few_us = 4;  // delay until a high-priority process reads its clock, ticks included
    static constexpr int sure_after = 4;       // number of equally late interrupts in a row that prove the next number

    std::optional<std::uint32_t> take_another(std::int64_t now);
    std::optional<std::uint32_t> take_late_or_early(std::int64_t now, std::int64_t late, std::int64_t slack);

    std::uint64_t period_us_;
    bool begun_ = false, lost_ = false;
    bool in_time_ = true;  // the last one seems to have been taken at once
    std::uint32_t number_ = 0;
    std::int64_t raised_us_ = 0;  // latest possible time at which the last one was raised
    int alike_ = 0;               // interrupts in a row that were `late_us_` late
    std::int64_t late_us_ = 0;
};

}  // namespace instrumentation
