#include "solution_check.hpp"

#include <tmon_session/network_check.hpp>
#include <tmon_session/validation.hpp>

namespace tmon_cli {

SolutionCheck check_solution(const topologies::MachineDescription& solved, const topologies::MachineDescription& wanted) {
    hw_model::Machine machine("machine", solved, tmon_session::standard_costs_with({}), 1);
    const tmon_session::NetworkCheck check = tmon_session::check_network(machine, wanted);
    return {check.differences.empty(), tmon_session::network_check_text(check), tmon_session::network_check_json(check)};
}

}  // namespace tmon_cli
