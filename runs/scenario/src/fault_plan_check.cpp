#include <scenario/fault_plan_check.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "subtask_numbers.hpp"

namespace scenario {
namespace {

using farm_spec::FarmSpec;
using topologies::FaultStep;
using vocabulary::InputError;
using vocabulary::NodeId;

// A sub-task is computed where it arrives. The node that splits it off sends it, and receives its result.
void check_place(const topologies::Fault& fault, const FarmSpec& farm) {
    const topologies::FaultEvent& event = *fault.on;
    const NodeId node = *event.node;
    const bool computes = event.step == FaultStep::Start || event.step == FaultStep::Finish;
    const std::vector<SubtaskPlace> places = places_of_subtask(farm, *event.subtask);
    const auto meets = [&](const SubtaskPlace& place) {
        return place.node == node || (!computes && farm.parent(place.node) == node);
    };
    if (std::any_of(places.begin(), places.end(), meets)) return;
    std::string nodes;
    for (const SubtaskPlace& place : places) nodes += fmt::format("{}n{}", nodes.empty() ? "" : ", ", place.node.value());
    throw InputError(subtask_key(fault.where, "faults"),
                     fmt::format("sub-task {:04x} does not come to n{}, but to {}; name one of these, or leave out 'node'",
                                 *event.subtask, node.value(), nodes));
}

}  // namespace

void check_fault_plan(const topologies::FaultPlan& plan, const FarmSpec& farm, bool tree_known) {
    for (const topologies::Fault& fault : plan.faults) {
        if (fault.on && farm.model == "mpi")
            throw InputError(fault.where,
                             "waits for a step of a task, and an MPI program has no tasks; give it a moment with 'at'");
        if (!fault.on || !fault.on->subtask) continue;
        if (const std::string why = why_no_subtask(farm, *fault.on->subtask, tree_known); !why.empty())
            throw InputError(subtask_key(fault.where, "faults"), why);
        if (tree_known && farm.divides() && fault.on->node) check_place(fault, farm);
    }
}

}  // namespace scenario
