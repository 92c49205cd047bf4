// Bug lists: the bugs of a run as a file (docs/formats/bug_list.md). Reads the text of a `*.bugs` file into planted bugs.
// Strict: it refuses an unknown kind or key, a process in which the kind has no meaning, and a number out of range. It also
// refuses two entries that contradict each other. Each throws vocabulary::InputError with file, line and column, the nearest
// known name and what to do. Cost: linear in the file, and quadratic in its entries for the contradictions.
#pragma once

#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <trek_kernel/bug_list.hpp>

namespace scenario {

std::vector<trek_kernel::PlannedBug> parse_bug_list(const std::string& text, const std::string& file_name);
std::vector<trek_kernel::PlannedBug> read_bug_list(const std::string& path);

// Refuses a list that names something missing in the farm: a task, its process, or, when the tree is known, a node. Throws
// vocabulary::InputError.
void check_bugs(const std::vector<trek_kernel::PlannedBug>& bugs, const farm_spec::FarmSpec& farm, bool tree_known = true);

// All planted bugs: those of the simulated application's .dat file, then those of the bug list. BugStruck::planted is an index
// into it.
std::vector<trek_kernel::PlannedBug> planted_bugs(const Scenario& scenario);

}  // namespace scenario
