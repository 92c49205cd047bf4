#include <tmon_session/resolve_tree.hpp>

#include <algorithm>
#include <stdexcept>

#include <farm_model/best_tree.hpp>
#include <topologies/network.hpp>
#include <vocabulary/source_position.hpp>

#include "measured_costs.hpp"

namespace tmon_session {

void resolve_tree(Scenario& scenario) {
    if (!scenario.best_tree) return;
    const farm_model::Costs costs = measured_costs(scenario);
    farm_model::BestTree tree;
    try {
        tree = farm_model::best_tree(topologies::Network(scenario.machine), scenario.farm, costs,
                                     {.most_nodes = scenario.farm.nodes});
    } catch (const std::runtime_error& error) {
        throw vocabulary::InputError({scenario.path, 0, 0}, std::string("tree: best: ") + error.what());
    }
    scenario.farm.tree = trek_kernel::TreeKind::Given;
    scenario.farm.parents = tree.parents;
    scenario.farm.nodes = static_cast<std::uint32_t>(tree.parents.size());
    scenario.best_tree = false;
    scenario.tree_choice = farm_model::explained(tree, costs);
}

std::string tree_text(const Scenario& scenario) {
    std::string text;
    const std::string& choice = scenario.tree_choice;
    for (std::size_t at = 0; at < choice.size();) {
        const std::size_t end = std::min(choice.find('\n', at), choice.size());
        text += (at == 0 ? "  tree         " : "               ") + choice.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

}  // namespace tmon_session
