// InterruptCounter: finds the number of a global interrupt that a node has just taken. A process that comes late to its event
// channel finds one event where two interrupts were. So counting the events would give wrong numbers, and a clock fitted to
// wrong numbers is wrong. But interrupts come periodically, so the node's own clock tells how many there were.
#pragma once

#include <cstdint>
#include <optional>

namespace instrumentation {

class InterruptCounter {
public:
    explicit InterruptCounter(std::uint64_t period_us) : period_us_(period_us) {}

    // An interrupt was taken when the node's clock showed `clock_us`. Returns its number; the first is 0. Empty when it was
    // taken so late that it could be either of two, or that another has got its number. Empty for ever after a silence of more
    // than `most_silence` periods, in which the clocks may have drifted apart too far. An interrupt may be taken late, never
    // early.
    std::optional<std::uint32_t> take(std::uint64_t clock_us);

    static constexpr std::uint64_t most_silence = 200;

private:
    static constexpr std::int64_t few_us = 4;  // until a process of high priority reads its clock, and the ticks
    static constexpr int sure_after = 4;       // times that an interrupt must seem equally late

    std::optional<std::uint32_t> take_another(std::int64_t now);
    std::optional<std::uint32_t> take_late_or_early(std::int64_t now, std::int64_t late, std::int64_t slack);

    std::uint64_t period_us_;
    bool begun_ = false, lost_ = false;
    bool in_time_ = true;  // the last one was taken as soon as it was raised, as far as the node can tell
    std::uint32_t number_ = 0;
    std::int64_t raised_us_ = 0;  // when the last one was raised, as far as the node can tell: then or before
    int alike_ = 0;               // number of times in a row that it was `late_us_` late
    std::int64_t late_us_ = 0;
};

}  // namespace instrumentation
