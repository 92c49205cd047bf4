// The bill: the difference between a monitored run and its twin, divided by cause, by node, by link, by probe and by event
// class. Each table's lines sum to the same difference, in whole picoseconds (docs/guide/overhead.md explains the lines).
#pragma once

#include <array>
#include <string>
#include <vector>

#include <twin/overhead.hpp>

namespace twin {

// Kind of a part of the path: a processor or scheduler at work, a link, memory cycles, or waiting for another activity.
enum class BillWay : std::uint8_t { Processor, Link, Memory, Waiting };
inline constexpr std::size_t bill_ways = 4;

struct BillLine {
    std::string name;
    bool monitors = false;                              // a cause of the monitor; else a part of the program itself
    std::array<vocabulary::SimTime, bill_ways> ways{};  // in the monitored run
    vocabulary::SimTime monitored, twin;                // on the path; `ways` sum to `monitored`
    vocabulary::SimTime of_monitor;                     // part of the difference charged to the monitor's causes

    vocabulary::SimTime difference() const { return monitored - twin; }
};

struct BillTable {
    std::string key, title;  // "cause", "by cause"
    std::vector<BillLine> lines;
};

// All tables, by cause first. The table by cause has the monitor's causes, then the program's own parts, whose difference is
// not attributed. A table that does not sum to both spans is a broken contract. Empty without a common result.
std::vector<BillTable> bill(const Overhead& overhead);
BillTable bill(const Overhead& overhead, BillBy by);
// The part of the difference charged to no cause, because the monitored run's path goes another way.
vocabulary::SimTime not_attributed(const Overhead& overhead);

}  // namespace twin
