// `tree: best` of a scenario: the tree of highest predicted throughput in the machine's network.
#pragma once

#include <string>

#include <scenario/scenario.hpp>

namespace prediction {

// Returns the scenario unchanged unless it has best_tree. Else it fills farm.parents (TreeKind::Given) and farm.nodes (the
// highest member + 1), clears best_tree, and puts the reasons for the choice into tree_choice. Call after all settings and
// before the run. Measures the overheads in child processes as predict() does. Throws vocabulary::InputError when no worker
// can be reached from n0 or the switches cannot be set. Cost: under two seconds for 1024 nodes.
[[nodiscard]] scenario::Scenario with_tree(scenario::Scenario scenario);
// The choice as lines of a summary, "  tree         ..."; empty when the tree was given.
std::string tree_text(const scenario::Scenario& scenario);

}  // namespace prediction
