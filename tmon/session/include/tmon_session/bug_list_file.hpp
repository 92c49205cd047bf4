// Bug lists: the bugs of a run as a file (docs/formats/bug_list.md). Text of a `*.bugs` file -> planted bugs, strict: an
// unknown kind or key, a process that the kind has no meaning in, a number out of its range, or two entries that contradict
// each other throws vocabulary::InputError with file, line and column, the nearest known name and what to do. Cost: linear in
// the file, and quadratic in its entries for the contradictions.
#pragma once

#include <string>
#include <vector>

#include <tmon_session/scenario.hpp>
#include <trek_kernel/bug_list.hpp>

namespace tmon_session {

std::vector<trek_kernel::PlannedBug> parse_bug_list(const std::string& text, const std::string& file_name);
std::vector<trek_kernel::PlannedBug> read_bug_list(const std::string& path);

// What a list asks for and the farm has not: a task, a process of it, or, when its tree is known, a node. Throws
// vocabulary::InputError.
void check_bugs(const std::vector<trek_kernel::PlannedBug>& bugs, const trek_kernel::FarmConfig& farm, bool tree_known = true);

// All that is planted: what the .dat file of the simulated application says, then the bug list. An index into it is what
// BugStruck::planted says.
std::vector<trek_kernel::PlannedBug> planted_bugs(const Scenario& scenario);

}  // namespace tmon_session
