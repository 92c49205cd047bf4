#include <oracle/session_result.hpp>

namespace oracle {

void run_session(const scenario::Scenario& scenario, SessionResult& result, session::SessionHooks hooks, Observers observers) {
    result.has_truth = observers.truth;
    if (observers.truth) {
        hooks.witnesses.insert(hooks.witnesses.begin(), &result.truth);
        hooks.kernel_witnesses.push_back(&result.truth);
        if (hooks.stream) result.truth.count_only();
        if (!scenario.program.empty() || scenario.farm_program) result.truth.keep_inputs();
    }
    session::run_session(scenario, result.observed, result.simulated, hooks);
}

}  // namespace oracle
