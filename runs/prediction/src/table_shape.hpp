// TableShape: a summary of a task table's first tasks, so that those that a pilot run looks at can be compared with all.
#pragma once

#include <array>
#include <cstdint>

#include <scenario/scenario.hpp>

namespace prediction {

struct TableShape {
    std::uint32_t tasks = 0;         // the first so many; from 1
    std::array<double, 5> middle{};  // microseconds, mean of the tasks that a steady rate is taken from; index: UserProcess
    std::array<double, 5> all{};     // the same of all
    double needed = 0;               // microseconds a task, by the busiest: the manager or the workers together
    double longest_at_end = 0;       // microseconds; of the bundles that fill the farm's places when no more follow
};
// `places`: bundles that the workers hold.
TableShape table_shape(const scenario::Scenario& scenario, std::uint32_t tasks, std::uint32_t places);

// By how much the first tasks differ from all, as a part.
double rate_difference(const TableShape& first, const TableShape& all);   // of the steady rate
double total_difference(const TableShape& first, const TableShape& all);  // of the time from the first result to the last

// How long the tasks after the first take, when the first ran at that rate (tasks a second, above 0). Each takes its own time,
// and as much on top as each of the first.
double seconds_of_rest(const TableShape& first, const TableShape& all, const scenario::Scenario& scenario, double rate);

}  // namespace prediction
