// The bill: the difference between a monitored run and its twin, divided by cause, by node, by link, by probe and by event
// class. Each table's lines sum to the same difference, in whole picoseconds (docs/guide/overhead.md says what a line means).
#pragma once

#include <array>
#include <string>
#include <vector>

#include <twin/overhead.hpp>

namespace twin {

// How a part of the path passed: a processor or scheduler at work, a link, memory cycles, or waiting for another activity.
enum class BillWay : std::uint8_t { Processor, Link, Memory, Waiting };
inline constexpr std::size_t bill_ways = 4;

struct BillLine {
    std::string name;
    bool monitors = false;  // a cause that only a monitor has; else the program's own, which no cause is charged for
    std::array<vocabulary::SimTime, bill_ways> ways{};  // in the monitored run
    vocabulary::SimTime monitored, twin;                // on the path; `ways` sum to `monitored`
    vocabulary::SimTime of_monitor;                     // of the difference: what the monitor's causes are charged with

    vocabulary::SimTime difference() const { return monitored - twin; }
};

struct BillTable {
    std::string key, title;  // "cause", "by cause"
    std::vector<BillLine> lines;
};

// By cause: first what the monitor's causes are charged with, then the program's own parts, whose difference is not attributed.
// Broken contract when a table does not sum to both spans. Empty without a common result.
std::vector<BillTable> bill(const Overhead& overhead);
BillTable bill(const Overhead& overhead, BillBy by);
// The part of the difference that no cause is charged with, because the path of the monitored run goes another way.
vocabulary::SimTime not_attributed(const Overhead& overhead);

}  // namespace twin
