#include <oracle/session_result.hpp>

namespace oracle {

void run_session(const scenario::Scenario& scenario, SessionResult& result, session::SessionHooks hooks, Observers observers) {
    result.has_truth = observers.truth;
    if (observers.truth) {
        hooks.observers.insert(hooks.observers.begin(), &result.truth);
        hooks.dropped = [&truth = result.truth](const trollius_os::MessageDropped& what) { truth.on(what); };
        if (hooks.stream) result.truth.count_only();
    }
    session::run_session(scenario, result.observed, result.simulated, hooks);
}

}  // namespace oracle
