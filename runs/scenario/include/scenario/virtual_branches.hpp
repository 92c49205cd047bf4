// Branches of a farm's tree that are no links of the machine. Their messages go over the network layer (thesis, section 5.3.1:
// a virtual tree does not depend on the topology). Analyses that speak of a branch's link refuse such a farm, or say so.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <scenario/scenario.hpp>

namespace scenario {

// Each with parent and child, in the order of the children. Empty without a farm, and while its tree is not chosen yet. As the
// machine is wired at the start. Cost: linear in nodes and wires.
std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>> virtual_branches(const Scenario& scenario);
// "n1 - n3, n1 - n4 are no links of the machine; their messages go over the network"; at most four are named. Empty when all
// branches are links.
std::string virtual_branches_text(const Scenario& scenario);
// Throws vocabulary::RequestError when there is such a branch. `what` begins a sentence: "a farm that survives". `why` goes on
// after "since".
void refuse_virtual_branches(const Scenario& scenario, const std::string& what, const std::string& why);

}  // namespace scenario
