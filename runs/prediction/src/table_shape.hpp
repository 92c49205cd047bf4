// TableShape: a summary of a task table's first tasks, to compare the tasks of a pilot run with all tasks.
#pragma once

#include <array>
#include <cstdint>

#include <scenario/scenario.hpp>

namespace prediction {

struct TableShape {
    std::uint32_t tasks = 0;         // number of first tasks; at least 1
    std::array<double, 5> middle{};  // microseconds, mean over the tasks of the steady rate; index: UserProcess
    std::array<double, 5> all{};     // the same over all tasks
    double needed = 0;               // microseconds a task at the bottleneck: the manager, or all workers together
    double longest_at_end = 0;       // microseconds; longest of the bundles that fill the farm's places at the end
};
// `places`: bundles that the workers hold.
TableShape table_shape(const scenario::Scenario& scenario, std::uint32_t tasks, std::uint32_t places);

// Relative difference of the first tasks from all.
double rate_difference(const TableShape& first, const TableShape& all);   // of the steady rate
double total_difference(const TableShape& first, const TableShape& all);  // of the time from the first result to the last

// Seconds that the remaining tasks take, if the first ran at `rate` (tasks a second, above 0). Each remaining task takes its
// own time plus the overhead that each of the first had.
double seconds_of_rest(const TableShape& first, const TableShape& all, const scenario::Scenario& scenario, double rate);

}  // namespace prediction
