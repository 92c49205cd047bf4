#include "machines/solution_check.hpp"

#include <trollius_hosted/network_check.hpp>
#include <validation/validation.hpp>

namespace cli {

SolutionCheck check_solution(const topologies::MachineDescription& solved, const topologies::MachineDescription& wanted) {
    hw_model::Machine machine("machine", solved, validation::standard_costs_with({}), 1);
    const trollius_hosted::NetworkCheck check = trollius_hosted::check_network(machine, wanted);
    return {check.differences.empty(), trollius_hosted::network_check_text(check), trollius_hosted::network_check_json(check)};
}

}  // namespace cli
